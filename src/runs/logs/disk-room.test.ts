import { expect, it } from 'vitest';
import { HeardLog } from '../../testkit/ship/heard-log.ts';
import { DiskRoom } from './disk-room.ts';
import { line, LogFixture, SHIP } from './test-fixture.ts';

function roomOf(disk: { free: number; now: number }) {
  const log = new HeardLog();
  let looks = 0;
  const room = new DiskRoom({
    folder: '/',
    reserve: () => 1000,
    now: () => disk.now,
    log,
    free: async () => (looks++, disk.free),
  });
  return { room, log, looks: () => looks };
}

it('reports whether less is left than is reserved, looks once a second, and says once that it has changed', async () => {
  const disk = { free: 999, now: 0 };
  const { room, log, looks } = roomOf(disk);
  await room.look();
  for (let n = 0; n < 100; n++) expect(room.isShort()).toBe(true);
  expect([looks(), log.messages.length]).toEqual([1, 1]);
  disk.free = 1000;
  disk.now = 1000;
  room.isShort();
  await Promise.resolve();
  await Promise.resolve();
  expect([room.isShort(), looks(), log.messages.length]).toEqual([false, 2, 2]);
});

it('keeps lines of ships out, and accepts the lines that report how a run ended', async () => {
  const room = { short: true, isShort: () => room.short };
  const fixture = await LogFixture.open({}, { room });
  const ref = await fixture.newRun();
  await expect(fixture.logs.append(ref, SHIP, 0, [line('one')])).rejects.toMatchObject({ code: 'storage_unavailable' });
  await fixture.note(ref, 'the run failed');
  room.short = false;
  expect(await fixture.logs.append(ref, SHIP, 0, [line('one')])).toMatchObject({ status: 'stored' });
  expect((await fixture.read(ref)).messages).toEqual(['the run failed', 'one']);
  await fixture.close();
});
