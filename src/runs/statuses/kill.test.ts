import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RunsApi } from '../../testkit/runs-api.ts';
import { statusConfig } from '../../testkit/runs-status-sender.ts';
import { FakeForge } from '../forge/api/test-fixture.ts';

const ROUNDS = Number(process.env['QUIRE_CRASH_ROUNDS'] ?? 2);
const SENDER = join(import.meta.dirname, '..', '..', 'testkit', 'runs-status-sender.ts');

/** Answers every status, and remembers the states of each commit in their order. */
async function forge() {
  const shown = new Map<string, string[]>();
  const fake = await new FakeForge(new Proxy({}, {
    get: () => ({ path, body }: { path: string; body: { state: string } }) => {
      const commit = path.split('/').at(-1)!;
      shown.set(commit, [...shown.get(commit) ?? [], body.state]);
      return { status: 201, json: { id: 1 } };
    },
  })).start();
  onTestFinished(() => fake.stop());
  return { fake, shown };
}

/** Runs a server that is killed after it has ended some runs; returns the number of the next run. */
async function workUntilKilled(path: string, url: string, first: number, count: number): Promise<number> {
  const child = spawn(process.execPath, [SENDER, path, url, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.split('\n').length > count) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [unknown, string];
  expect(signal).toBe('SIGKILL');
  return first + count + 20;
}

test('each commit shows its final state once servers have died, and none goes back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-statuses-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'runs.db');
  const { fake, shown } = await forge();
  let next = 0;
  for (let round = 0; round < ROUNDS; round += 1) next = await workUntilKilled(path, fake.url, next, 3 + round * 5);

  const api = await RunsApi.start({ path, config: statusConfig(fake.url) });
  onTestFinished(() => api.stop());
  for (const { id } of await api.sql.all<{ id: string }>("SELECT id FROM runs WHERE state IN ('queued', 'running')"))
    await api.queue.cancel(id, async () => {});
  api.statuses.start();
  await api.statuses.settled();
  const rows = await api.sql.all<{ git_commit: string; state: string; is_sent: number }>(
    "SELECT git_commit, wanted ->> '$.state' AS state, sent_version = version AS is_sent FROM forge_posts",
  );
  expect(rows.length).toBeGreaterThanOrEqual(3 * ROUNDS);
  for (const { git_commit: commit, state, is_sent: isSent } of rows) {
    expect([commit, isSent, shown.get(commit)?.at(-1)]).toEqual([commit, 1, STATES[state]]);
    // Everything after the first final state is that state again.
    const states = shown.get(commit)!;
    const final = states.findIndex((each) => each !== 'pending');
    expect(new Set(states.slice(final))).toEqual(new Set(states.slice(-1)));
  }
}, 60_000);

const STATES: Readonly<Record<string, string>> = {
  pending: 'pending',
  running: 'pending',
  success: 'success',
  failure: 'failure',
  cancelled: 'error',
};
