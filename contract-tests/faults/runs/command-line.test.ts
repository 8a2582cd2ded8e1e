import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { ROOT } from '../../../src/testkit/docs-process.ts';
import { OWN_USER } from '../../../src/testkit/runs-executor.ts';
import { FaultBench, LONG_LEASES } from '../../../src/testkit/runs-faults/bench.ts';
import { TOKEN } from '../../../src/testkit/runs-faults/client.ts';
import { ProgramClock } from '../../../src/testkit/runs-faults/clock.ts';
import { counted, pipelines, projects } from '../../../src/testkit/runs-faults/pipelines.ts';

const TIME = { timeout: 120_000 };

async function serve({ onTestFinished }: TestContext): Promise<FaultBench> {
  const bench = new FaultBench({ yaml: (folder) => `${LONG_LEASES}\n${projects(['all'])}${pipelines(folder)}` });
  onTestFinished(() => bench.close());
  await bench.serve();
  return bench;
}

describe.concurrent('the tour of the README', TIME, () => {
  it('works word for word: a first run, followed, listed, shown, cancelled and tried again', async ({ onTestFinished }) => {
    const bench = new FaultBench({ local: true, yaml: () => '' });
    onTestFinished(() => bench.close());
    const example = readFileSync(join(ROOT, 'runs.example.yaml'), 'utf8');
    const yaml = example.replace('# api_token_env', 'api_token_env').replace(/^listen: \S+/m, 'listen: 127.0.0.1:0')
      .replace('./data/runs', join(bench.folder, 'server'));
    writeFileSync(bench.file, yaml);
    await bench.serve();
    const quire = (...args: string[]) =>
      bench.start(['runs', ...args], { env: { RUNS_URL: bench.url, RUNS_API_TOKEN: TOKEN } }).ended;

    const { code, stdout } = await quire('submit', 'demo', 'pipeline', 'hello', '--input', 'a first run', '--follow');
    expect(code).toBe(0);
    for (const line of ['hello from demo, attempt 1', 'a first run', 'step 1', 'step 2', 'step 3'])
      expect(stdout.split(line).length, line).toBe(2);
    const id = /^[0-9a-f]{32}/.exec(stdout)![0];
    expect((await quire('list')).stdout).toMatch(new RegExp(`^${id} .*succeeded`, 'm'));
    expect((await quire('show', id)).stdout).toContain('succeeded');
    expect((await quire('logs', id)).stdout).toContain('hello from demo, attempt 1');
    const second = (await quire('submit', 'demo', 'pipeline', 'hello')).stdout.trim();
    expect((await quire('cancel', second)).code).toBe(0);
    expect(await quire('logs', second, '-f')).toMatchObject({ code: 2 });
    const third = await quire('retry', second);
    expect(third.code).toBe(0);
    expect(await quire('logs', third.stdout.trim(), '-f')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('step 3') as string,
    });
  });

  it('makes a ship with the command that the API returns', async (test) => {
    const bench = await serve(test);
    const { command } = await bench.data<{ command: string }>('POST', '/ships/tokens', {
      name: 'build-01',
      labels: ['zone=all'],
    });
    const [quire, ...args] = command.split(' ');
    expect(quire).toBe('quire');
    const folder = join(bench.folder, 'ship');
    expect(await bench.start([...args, '--data-dir', folder]).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('joined as build-01') as string,
    });
    const ship = bench.start(['ship', 'run', '--data-dir', folder, '--sandbox', 'none', '--run-as', OWN_USER]);
    await bench.reached(await bench.submit('all', 'count', '3'), 'succeeded');
    expect(await ship.signal('SIGTERM').ended).toMatchObject({ code: 0 });
  });

  it('a token makes one ship, even when two use it at once, and none when it has expired', async (test) => {
    const bench = await serve(test);
    const join_ = async (folder: string, token: string, name: string) => {
      const { code, stderr } = await bench.start(['ship', 'join', '--server', bench.enrol, '--name', name, '--data-dir',
        join(bench.folder, folder)], { env: { QUIRE_JOIN_TOKEN: token } }).ended;
      expect(stderr).not.toContain(token);
      return { code, hasKey: existsSync(join(bench.folder, folder, 'identity.json')), stderr };
    };
    const token = await bench.makeToken('twice');
    const [won, lost] = (await Promise.all(['a', 'b'].map((folder) => join_(folder, token, 'twice')))).sort((one,
      other) => one.code! - other.code!
    );
    expect(won).toMatchObject({ code: 0, hasKey: true });
    expect(lost).toMatchObject({
      code: 1,
      hasKey: false,
      stderr: expect.stringMatching(/used|not valid|unknown/) as string,
    });
    expect((await bench.listShips()).map(({ name }) => name)).toEqual(['twice']);

    const clock = new ProgramClock();
    test.onTestFinished(() => clock.remove());
    await bench.server.signal('SIGTERM').ended;
    await bench.serve({ env: clock.env });
    const old = await bench.makeToken('late');
    clock.set(16 * 60_000);
    expect(await join_('late', old, 'late')).toMatchObject({
      code: 1,
      hasKey: false,
      stderr: expect.stringMatching(/expired|not valid|used/) as string,
    });
  });
});

describe('quire runs submit --follow', TIME, () => {
  it("goes on over a server that is killed and a network that breaks: every line once, and the run's own end", async (test) => {
    const bench = await serve(test);
    await bench.ship('one', ['zone=all']);
    const follow = bench.start(['runs', 'submit', 'all', 'pipeline', 'count', '--input', '150', '--follow'], {
      env: { RUNS_URL: bench.stableUrl, RUNS_API_TOKEN: TOKEN },
    });
    await follow.wrote('line 10');
    bench.http.drop();
    await follow.wrote('line 20');
    await bench.killServer();
    await bench.serve();
    const { code, stdout } = await follow.ended;
    expect(code).toBe(0);
    expect(stdout.match(/line \d+$/gm)).toEqual(counted(150));
  });
});
