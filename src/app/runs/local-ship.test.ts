import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Log, silentLog } from '../../lib/log.ts';
import { API_TOKEN, serveRuns } from '../../testkit/runs-server.ts';
import { RunsServer } from '../../testkit/ship/runs-server.ts';

const YAML = `
queue: {cancel_grace: 500ms, backoff: {initial: 50ms}}
pipelines:
  - {name: quick, steps: [{name: one, run: 'echo hello; cat "$QUIRE_INPUT_FILE"'}]}
  - {name: once, steps: [{name: one, run: 'echo $$ > "$QUIRE_INPUT.$QUIRE_ATTEMPT"; test $QUIRE_ATTEMPT = 2 || sleep 1000'}]}
`;

let folder: string;
let server: RunsServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-local-'));
  server = await serve();
});
afterEach(async () => {
  await server.service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const serve = (): Promise<RunsServer> => RunsServer.start({ folder: join(folder, 'server'), yaml: YAML, local: true });

async function beginOnce(): Promise<{ id: string; pid: number }> {
  const file = join(folder, 'pid');
  const id = await server.submit('once', file);
  while (!existsSync(`${file}.1`) || readFileSync(`${file}.1`, 'utf8') === '') await setTimeout(20);
  return { id, pid: Number(readFileSync(`${file}.1`, 'utf8')) };
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe("the ship in the server's process", () => {
  it('works without a fleet', async () => {
    const id = await server.submit('quick', 'the input');
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await server.output(id)).toEqual(['hello', 'the input']);
    // The spool is removed once the report is acknowledged; the run does not wait for that.
    await expect.poll(() => readdirSync(join(folder, 'server', 'data', 'spool')), { timeout: 10_000 }).toEqual([]);
  });

  it('separates steps by default, or takes no pipelines, and reports which', async () => {
    const other = await RunsServer.start({
      folder: join(folder, 'apart'),
      yaml: YAML,
      local: true,
      fence: 'sandbox: auto',
    });
    onTestFinished(() => other.service.stop());
    const { data } = await fetch(`${other.service.url}/readyz`).then((answer) => answer.json()) as {
      data: { checks: { sandbox: string } };
    };
    if (!['bubblewrap', 'namespaces'].includes(data.checks.sandbox)) return expect(data.checks.sandbox).toBe('missing');
    const id = await other.submit('quick', 'the input');
    await other.reached(id, 'succeeded');
    expect(await other.output(id)).toEqual(['hello', 'the input']);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'refuses to start where the users of steps have no way to their folder and none is made for them, with what to do',
    async () => {
      const closed = mkdtempSync(join(tmpdir(), 'quire-closed-'));
      onTestFinished(() => rmSync(closed, { recursive: true, force: true }));
      await expect(RunsServer.start({ folder: closed, yaml: YAML, local: true, fence: 'sandbox: none' })).rejects
        .toThrow(/^data_dir: .*others may not pass through \S+quire-closed-\S+: open it \(chmod o\+x\)/);
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    'lets the users of steps through the data folder that it makes, also beside an authority',
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'quire-open-'));
      onTestFinished(() => rmSync(data, { recursive: true, force: true }));
      chmodSync(data, 0o711);
      const yaml = `${YAML}fleet: {enabled: true, listen: '127.0.0.1:0', enrol_listen: '127.0.0.1:0', advertise: ` +
        `127.0.0.1}\nlocal: {sandbox: none}\nprojects: [{id: alpha, repository: org/alpha}]\n`;
      const { service } = await serveRuns({ folder: data, yaml });
      onTestFinished(() => service.stop());
      expect([statSync(join(data, 'data')).mode & 0o777, statSync(join(data, 'data', 'ca')).mode & 0o777]).toEqual([
        0o711,
        0o700,
      ]);
    },
  );

  it('works on as many runs at once as it may', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => server.submit('quick', 'x')));
    for (const id of ids) expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
  });

  it('stops a run that is cancelled', async () => {
    const { id, pid } = await beginOnce();
    await server.api('POST', `/runs/${id}/cancel`);
    await server.reached(id, 'cancelled');
    expect(isAlive(pid)).toBe(false);
  });

  it('stops in order with nothing to warn of, while runs are under way, wait, and are followed', async () => {
    const lines: string[] = [];
    const note = (level: string) => (fields: object, message: string): void =>
      void lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
    const log: Log = { ...silentLog, warn: note('warn'), error: note('error'), child: () => log };
    const other = await RunsServer.start({
      folder: join(folder, 'calm'),
      yaml: YAML.replace('500ms', '200ms'),
      local: true,
      log,
    });
    const file = join(folder, 'calm-pid');
    const ids = await Promise.all([1, 2, 3, 4].map((n) => other.submit('once', `${file}${n}`)));
    await Promise.all(ids.slice(0, 1).map((id) => other.reached(id, 'running')));
    const following = fetch(`${other.service.url}/api/v1/runs/${ids[0]!}/logs/stream`, {
      headers: { authorization: `Bearer ${API_TOKEN}` },
    }).then((answer) => answer.text()).catch(() => '');
    const stopped = other.service.stop();
    const late = await fetch(`${other.service.url}/api/v1/runs`, { headers: { authorization: `Bearer ${API_TOKEN}` } })
      .catch(() => undefined);
    expect(late?.status ?? 503).toBe(503);
    await Promise.all([stopped, following]);
    expect(lines).toEqual([]);
  });

  it('returns runs that still run when the server has waited long enough; its next process continues them', async () => {
    const { id, pid } = await beginOnce();
    await server.service.stop();
    expect(isAlive(pid)).toBe(false);
    server = await serve();
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
  });
});
