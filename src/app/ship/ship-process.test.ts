import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunsServer } from '../../testkit/ship/runs-server.ts';
import { ShipProcess } from '../../testkit/ship/ship-process.ts';

const YAML = `
queue: {lease_ttl: 30s, heartbeat: 1s, cancel_grace: 1s, backoff: {initial: 100ms}}
pipelines:
  - {name: quick, steps: [{name: one, run: 'echo hello; echo "$QUIRE_INPUT"'}]}
  - {name: keeps, steps: [{name: one, run: 'mkdir -p d && date +%N >> d/f && cat d/f', artifacts: [d], cache: {key: k, paths: [d]}}]}
  - {name: once, steps: [{name: one, run: 'echo attempt $QUIRE_ATTEMPT; test $QUIRE_ATTEMPT = 2 || sleep 1000'}]}
`;

let folder: string;
let server: RunsServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-ship-'));
  server = await RunsServer.start({ folder: join(folder, 'server'), yaml: YAML });
});
afterEach(async () => {
  await ShipProcess.killAll();
  await server.service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function joinAs(name: string): Promise<string> {
  const token = await server.makeToken(name, ['zone=a']);
  const dataDir = join(folder, name);
  const { stdout, stderr, code } = await new ShipProcess(['join', '--server', server.service.fleet!.enrol, '--name',
    name, '--data-dir', dataDir], { QUIRE_JOIN_TOKEN: token }).ended;
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(
    /^joined as \S+ \(ship [0-9a-f]{32}\)\n {2}labels: .*zone=a.*\n {2}server: 127\.0\.0\.1:\d+\n {2}next: {3}quire ship run --data-dir \S+\n$/,
  );
  expect(stdout).not.toContain(token);
  return dataDir;
}

async function runShip(dataDir: string): Promise<ShipProcess> {
  const ship = new ShipProcess(['run', '--data-dir', dataDir], { WRITER_API_KEY: 'not-to-be-shown' });
  await ship.wrote('connected');
  return ship;
}

describe('quire ship', () => {
  it('sends what steps leave, and keeps what they take over', async () => {
    await runShip(await joinAs('one'));
    const id = await server.submit('keeps');
    await server.reached(id, 'succeeded');
    expect(await server.api('GET', `/runs/${id}/artifacts`)).toMatchObject([{ name: 'd/f', step: 'one', attempt: 1 }]);
    const next = await server.submit('keeps');
    await server.reached(next, 'succeeded');
    expect((await server.output(next))[0]).toBe((await server.output(id))[0]);
  });

  it('joins, works, and leaves on request', async () => {
    const ship = await runShip(await joinAs('one'));
    const id = await server.submit('quick', 'from a test');
    await server.reached(id, 'succeeded');
    expect(await server.output(id)).toEqual(['hello', 'from a test']);
    expect((await server.api<object[]>('GET', '/ships'))[0]).toMatchObject({ name: 'one', online: true });
    const ending = await ship.signal('SIGTERM').ended;
    expect(ending.code).toBe(0);
    expect(ending.stdout + ending.stderr).not.toContain('not-to-be-shown');
  });

  it('that is killed loses no run: its next process has none of what it held, and the run goes on there', async () => {
    const dataDir = await joinAs('one');
    const killed = await runShip(dataDir);
    const id = await server.submit('once');
    await server.reached(id, 'running');
    while ((await server.output(id)).length === 0);
    await killed.signal('SIGKILL').ended;
    const next = await runShip(dataDir);
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
    expect([await server.output(id, 1), await server.output(id, 2)]).toEqual([['attempt 1'], ['attempt 2']]);
    await next.signal('SIGINT').ended;
  });

  it('returns its run at the second signal', async () => {
    const ship = await runShip(await joinAs('one'));
    const id = await server.submit('once');
    await server.reached(id, 'running');
    while ((await server.output(id)).length === 0);
    ship.signal('SIGTERM');
    await ship.wrote('waiting for 1 of its runs');
    expect((await ship.signal('SIGTERM').ended).code).toBe(0);
    expect(await server.run(id)).toMatchObject({ state: 'queued', attempt: 2 });
  });

  it('says what to do where it has not joined', async () => {
    const { code, stderr } = await new ShipProcess(['run', '--data-dir', join(folder, 'nothing')]).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `quire ship run: this machine is no ship yet: there is no ${
        join(folder, 'nothing', 'identity.json')
      }. Join first: quire ship join --help\n`,
    });
  });

  it.each([['join', ['--server', '--token-file', '--ephemeral', 'QUIRE_JOIN_TOKEN', 'quire ship run']], ['run', [
    '--data-dir',
    '--sandbox',
    'SIGTERM',
    '86',
  ]]])('explains itself: %s --help', async (command, words) => {
    const { code, stdout } = await new ShipProcess([command, '--help']).ended;
    expect(code).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  });
});
