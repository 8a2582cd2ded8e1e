// Test reports and searches of logs from the command line, over a real service whose own ship runs the steps.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runQuire } from '../../../testkit/commands/run-command.ts';
import { API_TOKEN, type RunsServer, startRunsServer } from '../../../testkit/runs-server.ts';

const CONFIG = `
secrets: [{name: KEY_VALUE, env: KEY_VALUE}]
pipelines:
  - name: checks
    secrets: [KEY_VALUE]
    steps:
      - name: unit
        run: |
          cat > junit.xml <<EOF
          <testsuite name="cart"><testcase name="adds" time="0.2"/><testcase name="removes" time="1.5" file="cart.ts" line="7">
          <failure message="wrong $KEY_VALUE">at cart.ts:7</failure></testcase></testsuite>
          EOF
          echo "Cannot find the needle $KEY_VALUE"; exit 1
        reports: {junit: [junit.xml]}
projects: [{id: demo, repository: example/demo}]
`;

let server: RunsServer;
let id: string;
beforeAll(async () => {
  server = await startRunsServer(CONFIG, { variables: { KEY_VALUE: 'correct-horse' } });
  const { stdout } = await quire('submit', 'demo', 'pipeline', 'checks', '--follow');
  id = stdout.split('\n')[0]!;
});
afterAll(() => server.remove());

const quire = (...words: string[]) => runQuire(['runs', ...words, '--url', server.url, '--token', API_TOKEN]);

it('lists the tests of a run with failures first, their places and messages, without secrets', async () => {
  const listed = await quire('tests', id, '--detail');
  expect(listed.stdout.split('\n')).toEqual(['failed cart › removes cart.ts:7 (1.5 s)', '         wrong ***',
    '         | at cart.ts:7', 'passed cart › adds (200 ms)', '']);
  expect(listed).toMatchObject({ exitCode: 0, stderr: '2 results: 1 passed, 1 failed\n' });
  expect((await quire('tests', id, '--state', 'passed')).stdout).toBe('passed cart › adds (200 ms)\n');
  expect(JSON.parse((await quire('tests', id, '--json')).stdout)).toMatchObject({ totals: { total: 2 } });
});

it('lists the tests of a project and the history of one', async () => {
  const [first] = JSON.parse((await quire('tests', '--project', 'demo', '--json')).stdout) as { id: string;
    name: string }[];
  expect(first).toMatchObject({ name: 'removes', pass_rate: 0, pipeline: 'checks', step: 'unit' });
  expect((await quire('tests', '--project', 'demo')).stdout).toMatch(/cart › removes \[checks unit\] +0 % +1 +failed/);
  expect((await quire('tests', '--project', 'demo', '--history', first!.id)).stdout).toMatch(
    new RegExp(String.raw`failed +1\.5 s +${id} +wrong \*\*\*`),
  );
  expect(await quire('tests', '--project', 'demo', '--flaky')).toMatchObject({
    stdout: '',
    stderr: 'no test is flaky\n',
  });
  expect((await quire('tests')).stderr).toContain('name either a run or, by --project, a project');
});

it('searches the logs of runs', async () => {
  const found = await quire('logs', 'search', 'needle', 'CANNOT', '--project', 'demo', '--since', '1h');
  expect(found.stdout).toMatch(new RegExp(String.raw`^${id} \S+ checks \[unit\] Cannot find the needle \*\*\*\n$`));
  expect(JSON.parse((await quire('logs', 'search', 'needle', '--json')).stdout)).toMatchObject({ run_id: id });
  expect((await quire('logs', 'search', 'correct-horse')).stderr).toBe('no line has these words\n');
  expect((await quire('logs', 'search', 'needle', '--since', 'soon')).stderr).toContain(
    'Expected a duration such as 7d',
  );
  expect((await quire('logs', id)).stdout).toContain('Cannot find the needle');
});
