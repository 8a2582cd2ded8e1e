// How long `/health` takes while one address attacks: 100 connections with bodies that never end, with arrays of
// 100,000 wrong items, and with bodies as large as they may be. Beside it, the same without attackers.
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Outcome } from './attackers/attacker.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { figure, type Section } from './support/table.ts';

const CONNECTIONS = 100;
const QUIET_SECONDS = scaled(5, 1);
const ATTACK_SECONDS = scaled(20, 4);
const HEALTH_EVERY_MS = 20;
/** Requests that have no response this long after the last one was due have failed. */
const LATE_MS = 10_000;
/** Most milliseconds of the 99th percentile. */
const TARGET_MS = 100;

interface Health {
  /**
   * Milliseconds from the time when each request was due, in rising order; until they were given up for those that
   * failed.
   */
  readonly times: readonly number[];
  readonly failed: number;
}

export async function benchAttackers(folder: string): Promise<Section[]> {
  const server = await startQuire(join(folder, 'attackers.db'));
  try {
    const quiet = await askHealth(server.url, QUIET_SECONDS);
    progress(`${CONNECTIONS} connections attack for ${ATTACK_SECONDS} s`);
    const program = join(import.meta.dirname, 'attackers', 'attacker.ts');
    const attack = promisify(execFile)(process.execPath, [program, server.url, String(CONNECTIONS),
      String(ATTACK_SECONDS)], { timeout: (ATTACK_SECONDS + 60) * 1000 });
    const [attacked, { stdout }] = await Promise.all([askHealth(server.url, ATTACK_SECONDS), attack]);
    return [sectionOf(quiet, attacked, JSON.parse(stdout) as Outcome)];
  } finally {
    await server.kill();
  }
}

/** Asks at a steady rate, whether or not earlier requests have been answered. */
async function askHealth(url: string, seconds: number): Promise<Health> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const late = AbortSignal.timeout(seconds * 1000 + LATE_MS);
  const begun = performance.now();
  const times: number[] = [];
  let failed = 0;
  const asked: Promise<void>[] = [];
  for (let i = 0; i < (seconds * 1000) / HEALTH_EVERY_MS; i++) {
    const due = begun + i * HEALTH_EVERY_MS;
    await sleep(Math.max(0, due - performance.now()));
    asked.push(isHealthy(`${url}/health`, agent, late).then((healthy) => {
      times.push(performance.now() - due);
      if (!healthy) failed++;
    }));
  }
  await Promise.all(asked);
  agent.destroy();
  return { times: times.toSorted((a, b) => a - b), failed };
}

function isHealthy(url: string, agent: Agent, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, signal }, (response) => {
      response.resume().once('close', () => resolve(response.complete && response.statusCode === 200));
    });
    sent.once('error', () => resolve(false));
    sent.end();
  });
}

function sectionOf(quiet: Health, attacked: Health, outcome: Outcome): Section {
  const at = ({ times }: Health, share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Infinity;
  const shown = (health: Health): string => [0.5, 0.99, 1].map((share) => figure(at(health, share))).join(' / ');
  const p99 = at(attacked, 0.99);
  return {
    title: `Health under attack: ${CONNECTIONS} connections from one address, ${figure(ATTACK_SECONDS)} s`,
    header: ['what', 'measured', 'target', 'met'],
    rows: [['/health alone, p50 / p99 / max in ms', shown(quiet), '', ''], [
      '/health under attack, p50 / p99 / max in ms',
      shown(attacked),
      `p99 under ${TARGET_MS}`,
      p99 < TARGET_MS ? 'yes' : 'no',
    ], ['/health that failed', String(quiet.failed + attacked.failed), '0',
      quiet.failed + attacked.failed === 0 ? 'yes' : 'no'],
      ...Object.entries(outcome).map((
        [kind, counts],
      ) => [`responses to attackers: ${kind}`,
        Object.entries(counts).map(([status, count]) => `${count} x ${status}`).join(', ') || 'none', '', '']
      )],
    notes: [
      'A request is timed from when it was due. The attackers have a process of their own and share the cores ' +
      'with the server.',
    ],
  };
}
