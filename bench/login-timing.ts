// Whether the time of a failed login reveals which users exist: an unknown user, a disabled one, and a wrong password,
// in random order, over HTTP to a server in a separate process. The cost of hashes is lowered to bcrypt's minimum, in
// addition to the real one: the differences between the three do not depend on it, and would be lost in the noise of
// the real one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Client, clientOf } from './support/client.ts';
import { mannWhitney } from './support/mann-whitney.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { figure, median, type Section } from './support/table.ts';

const PASSWORD = 'correct horse battery staple';

/** Rounds of bcrypt as a binary logarithm, and the number of attempts of each kind. */
const RUNS = [{ cost: 4, times: scaled(4000, 100) }, { cost: 12, times: scaled(60, 5) }] as const;
const WARM_UP = 50;

const KINDS = {
  'wrong password': { username: 'known', password: `${PASSWORD}!` },
  'unknown user': { username: 'unknow', password: PASSWORD },
  'disabled user': { username: 'locked', password: PASSWORD },
} as const;

type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[];

export async function benchLoginTiming(folder: string): Promise<Section[]> {
  const rows: string[][] = [];
  for (const { cost, times } of RUNS) {
    progress(`${times} logins of each kind, cost ${cost}`);
    const samples = await measure(join(folder, `login-${cost}.db`), cost, times);
    const wrong = samples['wrong password'];
    for (const kind of NAMES) {
      const { p, superiority } = mannWhitney(samples[kind], wrong);
      const isReference = kind === 'wrong password';
      rows.push([String(cost), kind, `${samples[kind].length}`, `${figure(median(samples[kind]) * 1000)} µs`,
        isReference ? '' : superiority.toFixed(3), isReference ? '' : p.toFixed(3)]);
    }
  }
  return [{
    title: 'What the time of a failed login tells',
    header: ['cost of hashes', 'login', 'samples', 'median', 'how often slower than a wrong password', 'p'],
    rows,
    notes: [
      'Compared with a wrong password by the test of Mann and Whitney (two-sided): how often a sample is slower ' +
      'than one of the other kind (0.5: as often as not), and how likely so much or more is where there is no ' +
      'difference.',
      'A cost of 12 is what the server uses.',
    ],
  }];
}

/** Duration of each login in milliseconds, by kind. */
async function measure(database: string, cost: number, times: number): Promise<Record<Kind, number[]>> {
  const server = fork(join(import.meta.dirname, 'login', 'server.ts'), [database, String(cost), PASSWORD]);
  const [url] = await once(server, 'message') as [string];
  const client = clientOf(url);
  const samples: Record<Kind, number[]> = { 'wrong password': [], 'unknown user': [], 'disabled user': [] };
  for (let i = 0; i < WARM_UP; i++) await tryIn(client, NAMES[i % NAMES.length]!);
  for (let i = 0; i < times; i++) for (const kind of shuffled(NAMES)) samples[kind].push(await tryIn(client, kind));
  client.close();
  server.send('stop');
  await once(server, 'exit');
  return samples;
}

async function tryIn(client: Client, kind: Kind): Promise<number> {
  const begun = performance.now();
  const status = await client.status('/v1/auth/login', KINDS[kind]);
  const taken = performance.now() - begun;
  if (status !== 401) throw new Error(`a login with ${kind} answered ${status}`);
  return taken;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values.map((value) => ({ value, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ value }) => value);
}
