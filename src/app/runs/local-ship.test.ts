import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('the ship in the server\'s process', () => {
  it('works without a fleet', async () => {
    const id = await server.submit('quick', 'the input');
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 1 });
    expect(await server.output(id)).toEqual(['hello', 'the input']);
    // The spool goes once the report is acknowledged, which the run does not wait for.
    await expect.poll(() => readdirSync(join(folder, 'server', 'data', 'spool')), { timeout: 10_000 }).toEqual([]);
  });

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

  it('gives back what still runs when the server has waited long enough; its next process goes on with it', async () => {
    const { id, pid } = await beginOnce();
    await server.service.stop();
    expect(isAlive(pid)).toBe(false);
    server = await serve();
    expect(await server.reached(id, 'succeeded')).toMatchObject({ attempt: 2 });
  });
});
