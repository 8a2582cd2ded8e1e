import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../generated/docs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { Fixture } from '../documents/test-fixture.ts';
import { type Alarms, createAlarms } from './alarms.ts';

let fixture: Fixture;
let timer: VirtualTimer;
let used: number | undefined;
let alarms: Alarms;

beforeEach(async () => {
  fixture = await Fixture.open('sql.js');
  timer = new VirtualTimer();
  alarms = createAlarms(fixture.environment, { timer, usedPercent: async () => used });
});
afterEach(async () => {
  await alarms.stop();
  await fixture.close();
});

const told = async () => {
  await timer.settle();
  return (await fixture.changes()).map(({ kind, detail }) => [kind, JSON.parse(detail!) as unknown]);
};

describe('the alarms of the server (decisions, section 6)', () => {
  it('report a disk that fills up, once until space is free again', async () => {
    const event = (usedPercent: number) => ['ops.disk_usage_high', { usedPercent, thresholdPercent: 85 }];
    alarms.start();
    for (const percent of [undefined, 84, 85, 95, 81, 86, 79, 90]) {
      used = percent;
      await timer.advance(60_000);
    }
    expect(await told()).toEqual([event(85), event(90)]);
  });

  it('report an operation that fails unexpectedly, once in five minutes', async () => {
    const operation = operations.getDocument;
    for (const error of [undefined, new ServiceError('not_found', 'not found'),
      Object.assign(new Error('gone'), { name: 'ClientGone' })]) alarms.observe({ operation, error });
    expect(await told()).toEqual([]);
    for (let i = 0; i < 3; i++) alarms.observe({ operation, error: new TypeError('a bug') });
    expect(await told()).toEqual([['ops.panic_recovered', { operation: 'getDocument' }]]);
    fixture.advance(300);
    alarms.observe({ operation, error: new ServiceError('internal', 'the server failed') });
    expect(await told()).toHaveLength(2);
    fixture.advance(-86_400); // the clock was set back
    alarms.observe({ operation, error: new TypeError('a bug') });
    expect(await told()).toHaveLength(3);
  });

  it('write nothing on a server that only reads', async () => {
    (fixture.environment.settings as { mode: string }).mode = 'read';
    alarms.observe({ operation: operations.getDocument, error: new TypeError('a bug') });
    expect(await told()).toEqual([]);
  });
});
