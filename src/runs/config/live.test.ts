import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Log } from '../../lib/log.ts';
import { silentLog } from '../../lib/log.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { LiveRunsConfig } from './live.ts';
import { loadRunsConfig } from './load.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-live-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const opened: LiveRunsConfig[] = [];
afterEach(() => Promise.all(opened.splice(0).map((live) => live.stop())));

let files = 0;

async function open(text: string) {
  const source = join(folder, `${files++}.yaml`);
  writeFileSync(source, text);
  const told: object[] = [];
  const outcomes: string[] = [];
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (_, message) => void lines.push(message),
    error: (fields) => void told.push(fields),
    warn: (fields) => void told.push(fields),
  };
  const timer = new ManualTimer();
  const live = new LiveRunsConfig({ loaded: await loadRunsConfig({ source, env: {} }), env: {}, log, timer });
  live.onAttempt((outcome) => outcomes.push(outcome));
  opened.push(live);
  return { live, source, told, lines, outcomes, timer };
}

const attempts = (live: LiveRunsConfig) => live.current().config.queue.max_attempts;

describe('LiveRunsConfig (run-queue decisions, section 3)', () => {
  it('loads a changed file and notifies listeners', async () => {
    const { live, source, lines, outcomes } = await open('queue: {max_attempts: 2}');
    const seen: number[] = [];
    const stop = live.onChange(({ config }) => seen.push(config.queue.max_attempts));
    writeFileSync(source, 'queue: {max_attempts: 5}');
    await live.reload();
    stop();
    writeFileSync(source, 'queue: {max_attempts: 6}');
    await live.reload();
    expect([attempts(live), seen, outcomes]).toEqual([6, [5], ['loaded', 'loaded']]);
    expect(lines).toEqual(['configuration reloaded', 'configuration reloaded']);
  });

  it('keeps its settings when the file is not valid, and says so once', async () => {
    const { live, source, told, outcomes } = await open('queue: {max_attempts: 2}');
    writeFileSync(source, 'queue: {max_attempts: many}');
    await live.reload();
    await live.reload();
    expect(attempts(live)).toBe(2);
    expect(outcomes).toEqual(['refused']);
    expect(told).toEqual([{ problems: [expect.stringContaining('queue.max_attempts')] }]);
    writeFileSync(source, 'queue: {max_attempts: 3}');
    await live.reload();
    expect(attempts(live)).toBe(3);
  });

  it('reports when a refused file is corrected, also when it is what it was before', async () => {
    const { live, source, outcomes } = await open('queue: {max_attempts: 2}');
    writeFileSync(source, 'queue: {max_attempts: many}');
    await live.reload();
    writeFileSync(source, 'queue: {max_attempts: 2}');
    await live.reload();
    await live.reload();
    writeFileSync(source, 'queue: {max_attempts: many}');
    await live.reload();
    expect(outcomes).toEqual(['refused', 'mended', 'refused']);
  });

  it('warns of secrets whose variable is not set, at the start and when they come', async () => {
    const { live, source, told } = await open('secrets: [{name: A, env: A_VARIABLE}]\nconfig: {refresh: "0"}');
    live.start();
    expect(told).toEqual([{ secret: 'A', variable: 'A_VARIABLE' }]);
    writeFileSync(source, 'secrets: [{name: B, env: B_VARIABLE}]\nconfig: {refresh: "0"}');
    await live.reload();
    expect(told.at(-1)).toEqual({ secret: 'B', variable: 'B_VARIABLE' });
  });

  it('warns of webhooks whose key is not set', async () => {
    const { live, told } = await open(
      "notifications: {webhooks: [{name: chat, url: 'https://x.example.org', secret_env: NO_KEY}, {name: off, " +
        "url: 'https://x.example.org', enabled: false, secret_env: NO_KEY}]}\nconfig: {refresh: '0'}",
    );
    live.start();
    expect(told).toEqual([{ webhook: 'chat', variable: 'NO_KEY' }]);
  });

  it('says which settings wait for a restart', async () => {
    const { live, source, told } = await open('listen: 127.0.0.1:1000');
    writeFileSync(source, 'listen: 127.0.0.1:2000\nqueue: {max_attempts: 4}');
    await live.reload();
    expect(told).toEqual([{ settings: ['listen'] }]);
    expect(attempts(live)).toBe(4);
  });

  it('follows the file, also when another one takes its place', async () => {
    const { live, source } = await open('queue: {max_attempts: 2}');
    live.start();
    for (const count of [3, 4]) {
      const next = Promise.withResolvers<void>();
      const stop = live.onChange(() => next.resolve());
      writeFileSync(`${source}.new`, `queue: {max_attempts: ${count}}`);
      renameSync(`${source}.new`, source);
      await next.promise;
      stop();
      expect(attempts(live)).toBe(count);
    }
    expect(readFileSync(source, 'utf8')).toContain('4');
  });

  it('looks at its source again after `config.refresh`', async () => {
    const { live, source, timer } = await open('config: {refresh: 5s}');
    const next = Promise.withResolvers<void>();
    live.onChange(() => next.resolve());
    writeFileSync(source, 'config: {refresh: 7s}');
    live.start();
    await timer.elapse();
    await next.promise;
    await timer.elapse();
    expect(timer.sleeps.slice(0, 2)).toEqual([5000, 7000]);
  });
});
