import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { outbox, RUN_QUEUE_MIGRATIONS } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { type LoadedRunsConfig, parseRunsConfig } from '../config/index.ts';
import { listDeadLetters } from './dead-letter-rows.ts';
import { Deliveries } from './deliveries.ts';
import type { Letter } from './letter.ts';

const HOUR = 3_600_000;
// Refused before anything is sent, so the test does not wait for the network.
const CONFIG = "notifications: {webhooks: [{name: chat, url: 'http://127.0.0.1:9/'}]}";

const letterOf = (n: number): Letter => ({
  id: `dlv_${n}`,
  event: 'run.failed',
  runId: String(n).padStart(32, '0'),
  timestamp: n,
  body: '{}',
});

it('a webhook that accepts nothing for a day starts over, and what waited for it becomes dead letters', async () => {
  const sql = await openMigrated({ path: ':memory:' }, RUN_QUEUE_MIGRATIONS);
  const timer = new VirtualTimer();
  const outcomes = { delivered: 0, failed: 0, dead: 0 };
  const loaded = { config: parseRunsConfig(CONFIG) } as LoadedRunsConfig;
  const config = { current: () => loaded, onChange: () => () => {} };
  const deliveries = new Deliveries({
    env: { sql, timer, config, clock: { now: () => timer.now }, log: silentLog, version: '1.2.3' },
    variables: {},
    onOutcome: (outcome, count) => void (outcomes[outcome] += count),
  });
  const put = (...letters: Letter[]) =>
    sql.transaction((tx) => outbox.enqueue(tx, 'chat', letters.map((letter) => JSON.stringify(letter))));
  const dead = async () => (await listDeadLetters(sql, undefined, 1000)).map(({ letter }) => letter.id);
  await put(...Array.from({ length: 450 }, (_, n) => letterOf(n)));
  await deliveries.apply();
  for (let turn = 0; turn < 5000 && outcomes.dead < 450; turn++) {
    await timer.advance(HOUR / 4);
    await setImmediate();
  }
  expect((await dead()).toReversed()).toEqual(Array.from({ length: 450 }, (_, n) => `dlv_${n}`));
  expect(timer.now).toBeGreaterThan(24 * HOUR);
  expect(outcomes).toMatchObject({ delivered: 0, dead: 450 });
  expect(await sql.all('SELECT * FROM delivery_outbox')).toEqual([]);

  const failed = outcomes.failed;
  await put(letterOf(450));
  deliveries.wake('chat');
  for (let turn = 0; turn < 100 && outcomes.failed === failed; turn++) await timer.advance(1000);
  expect(outcomes.failed).toBeGreaterThan(failed);
  await deliveries.stop();
  await sql.close();
});
