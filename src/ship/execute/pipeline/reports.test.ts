// Test reports of steps, read by real processes' files and sent with secrets masked.
import { afterEach, expect, it } from 'vitest';
import { Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { assignmentOf, type ExecutorBench, executorBench, pipelineOf, start } from '../../../testkit/runs-executor.ts';

const benches: ExecutorBench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.close();
});

type Steps = Parameters<typeof pipelineOf>[0];

async function run(steps: Steps, { fields = {}, plan = {}, refuse = () => undefined }: {
  readonly fields?: object;
  readonly plan?: object;
  readonly refuse?: (name: string) => string | undefined;
} = {}) {
  const bench = executorBench();
  benches.push(bench);
  const sent: Record<string, string> = {};
  const running = start(bench.executor, assignmentOf(pipelineOf(steps, plan), fields), undefined, {
    keepArtifact: async ({ name, step, reportFormat, content, size }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content()) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      expect(bytes).toHaveLength(size);
      const reason = refuse(name);
      if (reason === undefined) sent[`${step}:${reportFormat}:${name}`] = bytes.toString();
      return reason;
    },
  });
  const { outcome, error } = await running.result;
  return { outcome, message: error?.message, sent, said: running.text() };
}

const step = (name: string, script: string, reports: readonly { format: string; patterns: string[] }[] = []) => ({
  name,
  argv: ['/bin/sh', '-eu', '-c', script],
  timeoutMs: 60_000n,
  reports: [...reports],
});
const junit = (...patterns: string[]) => ({ format: 'junit', patterns });

it('are sent when their step has ended, also when it failed, with secrets masked', async () => {
  const ran = await run([
    step('test',
      'mkdir -p out/deep; echo "<a b=\\"$TOKEN_VALUE\\">" > out/a.xml; echo "correct&#45;horse" > out/deep/b.xml; echo 1..0 > x.tap; exit 2',
      [
        junit('out/**/*.xml'),
        { format: 'tap', patterns: ['*.tap'] },
      ]),
  ], { fields: { secrets: { TOKEN_VALUE: 'correct-horse' } } });
  expect(ran).toMatchObject({ outcome: Outcome.FAILED, message: 'step test exited with code 2' });
  expect(ran.sent).toEqual({
    'test:junit:out/a.xml': '<a b="***">\n',
    'test:junit:out/deep/b.xml': '***\n',
    'test:tap:x.tap': '1..0\n',
  });
  expect(ran.said).toEqual(['sent 3 test reports']);
});

it('of the pipeline are sent after its last step', async () => {
  const ran = await run([step('one', 'echo a > r.xml'), step('two', 'echo b >> r.xml')], {
    plan: { reports: [junit('r.xml')] },
  });
  expect(ran).toMatchObject({ outcome: Outcome.SUCCEEDED, sent: { ':junit:r.xml': 'a\nb\n' } });
});

it('that are links, missing, or refused leave a line and do not fail the run', async () => {
  const ran = await run([
    step('test', 'ln -s /etc/passwd link.xml; ln -s /etc folder; echo x > bad.xml; echo y > good.xml', [
      junit('link.xml', 'folder/passwd', '*.xml'),
    ]),
  ], { refuse: (name) => (name === 'bad.xml' ? 'it is not valid XML' : undefined) });
  expect(ran).toMatchObject({ outcome: Outcome.SUCCEEDED, sent: { 'test:junit:good.xml': 'y\n' } });
  expect(ran.said).toEqual(['there are no test reports link.xml', 'there are no test reports folder/passwd',
    'the test report bad.xml is not complete: it is not valid XML', 'sent 1 test report']);
});

it('are sent in UTF-8, in which secrets are found, whatever encoding they declare', async () => {
  const ran = await run([
    step('test', `printf '<?xml version="1.0" encoding="ISO-8859-1"?><a b="\\374"/>' > latin.xml
      printf '\\377\\376c\\000o\\000r\\000r\\000e\\000c\\000t\\000-\\000h\\000o\\000r\\000s\\000e\\000' > wide.xml
      printf '<?xml version="1.0" encoding="none"?>' > none.xml`, [junit('*.xml')]),
  ], { fields: { secrets: { TOKEN_VALUE: 'correct-horse' } } });
  expect(ran.sent).toEqual({
    'test:junit:latin.xml': '<?xml version="1.0" encoding="ISO-8859-1"?><a b="ü"/>',
    'test:junit:wide.xml': '***',
  });
  expect(ran.said).toContain('the test report none.xml is not complete: its encoding none is not supported');
});
