import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { removeLeftovers } from './maintenance.ts';

const HOUR = 3_600_000;
const NOW = 1_766_400_000_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'quire-leftovers-'));
});
afterEach(() => rm(dir, { recursive: true }));

const UNFINISHED = ['backup-1.db.0123456789ab.tmp', 'backup-1.db.0123456789ab.tmp-journal',
  ...['', '.work', '.work-wal', '.work-shm', '.work.lock'].map((ending) => `restore-1766000000-0123abcd.tmp${ending}`)];
const OTHERS = ['backup-1.db', 'pre-restore-1766000000-0123abcd.db', 'mine.tmp', 'restore-mine.tmp', 'quire.db',
  'quire.db-wal'];

async function left(hoursAgo: number): Promise<string[]> {
  for (const name of [...UNFINISHED, ...OTHERS]) {
    await writeFile(join(dir, name), 'x');
    await utimes(join(dir, name), (NOW - hoursAgo * HOUR) / 1000, (NOW - hoursAgo * HOUR) / 1000);
  }
  await removeLeftovers(dir, { clock: { now: () => NOW }, log: silentLog });
  return (await readdir(dir)).sort();
}

it('removes what interrupted backups and restores have left, a day later, and nothing else', async () => {
  expect(await left(25)).toEqual([...OTHERS].sort());
  expect(await left(23)).toEqual([...UNFINISHED, ...OTHERS].sort());
});

it('is harmless without a folder', async () => {
  await removeLeftovers(join(dir, 'none'), { clock: { now: () => NOW }, log: silentLog });
});
