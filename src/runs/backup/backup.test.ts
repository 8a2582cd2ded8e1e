import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeShip, QueueFixture } from '../../testkit/runs-queue.ts';
import { backUp, type Places, restore, type Unfinished } from './index.ts';

let folder: string;
let places: Places;
let backup: string;
let fixture: QueueFixture;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-queue-backup-'));
  places = { database: join(folder, 'data', 'runs.db'), authority: join(folder, 'data', 'ca') };
  backup = join(folder, 'kept', 'backup');
  await mkdir(places.authority, { recursive: true });
  await writeFile(join(places.authority, 'authority.pem'), 'the key of then');
  fixture = await QueueFixture.open({ path: places.database });
});
afterEach(async () => {
  await fixture.sql.close();
  await rm(folder, { recursive: true });
});

const clock = { now: () => fixture.wall };
const make = (to = backup) => backUp(places, to, { clock, version: '1.2.3' });
const put = (unfinished?: Unfinished, from = backup) => restore(places, from, { clock, unfinished });

/** Stops the service, and starts it again over the present files. */
async function stopped<T>(work: () => Promise<T>): Promise<T> {
  await fixture.sql.close();
  try {
    return await work();
  } finally {
    fixture = await QueueFixture.open({ path: places.database });
  }
}

/** A run that its ship has started. */
async function held(ship = new FakeShip('ship')) {
  fixture.queue.addWorker(ship);
  const { id } = await fixture.submit();
  await fixture.parts.dispatcher.dispatch();
  await fixture.queue.accept(ship.last.ref, ship.shipId);
  return { id, ship };
}

describe('a backup of the queue', () => {
  it('is made while the queue is in use, and brings back what was there then', async () => {
    const { id, ship } = await held();
    await fixture.queue.complete(ship.last.ref, ship.shipId, { outcome: 'succeeded', started: true });
    expect(await make()).toMatchObject({ folder: backup, hasAuthority: true });
    const later = await fixture.submit();
    await writeFile(join(places.authority, 'authority.pem'), 'another key');
    const { keptAside, unfinished } = await stopped(() => put());
    expect([await fixture.state(id), await fixture.queue.get(later.id), unfinished]).toEqual(['succeeded', undefined, {
      queued: 0,
      held: 0,
    }]);
    expect(await readFile(join(places.authority, 'authority.pem'), 'utf8')).toBe('the key of then');
    expect(await readFile(join(keptAside[1]!, 'authority.pem'), 'utf8')).toBe('another key');
    expect(keptAside[0]).toMatch(/runs\.db\.before-restore-\d+$/);
  });

  it('is never overwritten, and leaves nothing half written', async () => {
    await make();
    await expect(make()).rejects.toThrow('exists already');
    await expect(
      backUp({ ...places, database: join(folder, 'none.db') }, join(folder, 'kept', 'other'), { clock, version: '1' }),
    ).rejects.toThrow('does not exist');
    expect(await readdir(join(folder, 'kept'))).toEqual(['backup']);
  });

  it('keeps the authority of the machine where it has none itself', async () => {
    await rm(places.authority, { recursive: true });
    expect(await make()).toMatchObject({ hasAuthority: false });
    await mkdir(places.authority);
    await writeFile(join(places.authority, 'authority.pem'), 'made since');
    await stopped(() => put());
    expect(await readFile(join(places.authority, 'authority.pem'), 'utf8')).toBe('made since');
  });
});

describe('runs that had not ended', () => {
  it('are not decided over silently', async () => {
    await held();
    await fixture.submit();
    await make();
    await expect(stopped(() => put())).rejects.toThrow(
      /^1 queued and 1 running runs .*--unfinished queue .*--unfinished fail/,
    );
    expect(await readdir(join(folder, 'data'))).toEqual(expect.not.arrayContaining([expect.stringMatching(/restore/)]));
  });

  it('fail where it is asked for, and can be retried', async () => {
    const { id } = await held();
    const waiting = await fixture.submit();
    await make();
    await stopped(() => put('fail'));
    expect((await fixture.queue.get(id))!).toMatchObject({
      state: 'failed',
      error: {
        code: 'internal',
        message: expect.stringContaining('restored from a backup') as string,
        attempt: 1,
        retryable: true,
      },
    });
    expect(await fixture.state(waiting.id)).toBe('failed');
  });

  it('are queued again where it is asked for, and what a ship still sends for an earlier attempt is refused', async () => {
    const { id, ship } = await held();
    await make();
    await stopped(() => put('queue'));
    expect((await fixture.queue.get(id))!).toMatchObject({ state: 'queued', attempt: 2 });
    expect(await fixture.queue.complete(ship.last.ref, ship.shipId, { outcome: 'succeeded', started: true })).not.toBe(
      'recorded',
    );
    const other = new FakeShip('other');
    fixture.queue.addWorker(other);
    await fixture.parts.dispatcher.dispatch();
    expect(other.last.ref).toMatchObject({ runId: id, attempt: 2 });
  });

  it('may wait as long as new ones, however old the backup is', async () => {
    const { id } = await fixture.submit();
    await make();
    fixture.pass(30 * 86_400_000);
    await stopped(() => put('queue'));
    await fixture.live(2000);
    expect(await fixture.state(id)).toBe('queued');
  });

  it('are cancelled where that had been asked for', async () => {
    const { id } = await held();
    await fixture.queue.cancel(id, async () => {});
    await make();
    await stopped(() => put('queue'));
    expect(await fixture.state(id)).toBe('cancelled');
  });
});

describe('a restore', () => {
  it('is refused while the queue is in use', async () => {
    await make();
    await expect(put()).rejects.toThrow(/in use by another process; stop that process first$/);
  });

  it.each([['is no backup', 'backup.json', undefined, 'is no backup of a run queue'], ['has another format',
    'backup.json', (text: string) => text.replace('"format": 1', '"format": 9'), 'has format 9'], [
    'names files elsewhere',
    'backup.json',
    (text: string) => text.replace('authority/authority.pem', 'authority/../../x.pem'),
    'cannot be read',
  ], ['lacks a file', 'authority/authority.pem', undefined, 'authority/authority.pem is missing'], ['was changed',
    'authority/authority.pem', (text: string) => `${text}x`, 'is not as it was written'], ['was cut short', 'queue.db',
    (text: string) => text.slice(0, 5000), 'queue.db is not as it was written']])(
      'refuses what %s, and changes nothing',
      async (_, name, change, message) => {
        const { id } = await fixture.submit();
        await make();
        const path = join(backup, name);
        if (change === undefined) await rm(path);
        else await writeFile(path, change(await readFile(path, 'latin1')), 'latin1');
        await expect(stopped(() => put('fail'))).rejects.toThrow(message);
        expect(await fixture.state(id)).toBe('queued');
      },
    );
});
