import fc from 'fast-check';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutputLine } from '../execute/port.ts';
import { LineSpool } from './line-spool.ts';
import { createDiskSpools, type SpoolFile } from './spool-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (message: string, rest: Partial<OutputLine> = {}): OutputLine => ({
  unixMs: 1_700_000_000_000,
  level: 'info',
  stream: 'stdout',
  step: 'one',
  message,
  ...rest,
});
const LIMITS = { maxBytes: 1 << 30, maxLines: 1_000_000 };

function open(openFile: () => Promise<SpoolFile>, limits = LIMITS) {
  const heard = { changes: 0, failures: [] as unknown[] };
  const spool = new LineSpool({
    ...limits,
    openFile,
    now: () => 1_700_000_000_000,
    onChange: () => heard.changes++,
    onFailure: (error) => heard.failures.push(error),
  });
  return { spool, heard };
}

/** Sends all lines from `from` on, in calls of this size. */
async function drain(spool: LineSpool, from = 0, maxLines = 500): Promise<string[]> {
  const messages: string[] = [];
  for (let next = from; next < spool.readable;) {
    const lines = await spool.read(next, maxLines, 1 << 19);
    messages.push(...lines.map(({ message }) => message));
    spool.sent(next += lines.length);
  }
  return messages;
}

const numbered = (count: number, from = 0, size = 0): string[] =>
  Array.from({ length: count }, (_, i) => `line ${from + i}`.padEnd(size, '.'));

describe('a spool on disk', () => {
  it('sweeps away what a former process has left, and is closed to others', async () => {
    const path = join(folder, 'spool');
    mkdirSync(path);
    writeFileSync(join(path, 'old.log'), 'old');
    const spools = createDiskSpools(path);
    await spools.sweep();
    expect(readdirSync(path)).toEqual([]);
    const file = await spools.create('a.log');
    expect([statSync(path).mode & 0o777, statSync(join(path, 'a.log')).mode & 0o777]).toEqual([0o700, 0o600]);
    await expect(spools.create('a.log')).rejects.toThrow(/EEXIST/);
    await file.remove();
    expect(readdirSync(path)).toEqual([]);
  });

  it('returns every line as it was written, in calls of any size, whatever of it was on disk', async () => {
    const spools = createDiskSpools(join(folder, 'spool'));
    await spools.sweep();
    let count = 0;
    const aLine = fc.record({
      unixMs: fc.nat(2 ** 45),
      level: fc.constantFrom('debug', 'info', 'warn', 'error'),
      stream: fc.constantFrom('stdout', 'stderr', 'system'),
      step: fc.option(fc.constant('build')),
      message: fc.oneof({ weight: 5, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) }, {
        weight: 1,
        arbitrary: fc.constant('x'.repeat(400_000)),
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(aLine, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 10 }),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), async (lines, maxLines, sends) => {
        const name = `${count++}`;
        const { spool } = open(() => spools.create(name));
        const messages: string[] = [];
        const send = async (): Promise<void> => {
          if (messages.length >= spool.readable) return;
          const read = await spool.read(messages.length, maxLines, 1 << 19);
          expect(read.length).toBeGreaterThan(0);
          expect(read.length).toBeLessThanOrEqual(maxLines);
          const { step, level } = lines[messages.length]!;
          expect(read[0]).toMatchObject({ step: step ?? '', level: ['debug', 'info', 'warn', 'error'].indexOf(level) });
          messages.push(...read.map(({ message }) => message));
          spool.sent(messages.length);
        };
        for (const [index, each] of (lines as OutputLine[]).entries()) {
          void spool.append(each);
          if (sends[index]) await send();
        }
        await spool.end();
        expect([spool.total, spool.isTruncated, spool.leftOut]).toEqual([lines.length, false, 0]);
        while (messages.length < lines.length) await send();
        expect(messages).toEqual(lines.map(({ message }) => message));
        await spool.remove();
      }),
      { numRuns: 60 },
    );
    expect(readdirSync(join(folder, 'spool'))).toEqual([]);
  });

  it('takes no room while the server keeps up, and lets go of it when all is sent', async () => {
    const spools = createDiskSpools(join(folder, 'spool'));
    await spools.sweep();
    const { spool } = open(() => spools.create('a.log'));
    for (const message of numbered(1000, 0, 1000)) void spool.append(line(message));
    expect(readdirSync(join(folder, 'spool'))).toEqual([]);
    for (const message of numbered(1000, 1000, 1000)) await spool.append(line(message));
    while (readdirSync(join(folder, 'spool')).length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await drain(spool)).toEqual(numbered(2000, 0, 1000));
    while (readdirSync(join(folder, 'spool')).length > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});

/** A file in memory whose appends wait for the test. */
class SlowFile implements SpoolFile {
  readonly waiting: (() => void)[] = [];
  error: Error | undefined;

  async append(): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.error) throw this.error;
  }

  async read(_offset: number, length: number): Promise<Uint8Array> {
    return new Uint8Array(length);
  }

  async remove(): Promise<void> {}
}

const settled = async (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);

describe('the lines of an attempt', () => {
  it('beyond the budget are the beginning and the end, and a line that says how much is missing between them', async () => {
    const { spool } = open(() => Promise.reject(new Error('no file is needed')), { maxBytes: 1 << 20, maxLines: 4000 });
    for (const message of numbered(10_000)) void spool.append(line(message));
    await spool.end();
    const sent = await drain(spool);
    const [head, tail] = [sent.findIndex((message) => !message.startsWith('line')),
      sent.findLastIndex((message) => !message.startsWith('line'))];
    expect(sent.slice(0, head)).toEqual(numbered(2900));
    expect(sent.slice(head, tail + 1)).toEqual([
      'the log has reached its limit of 1MiB or 4000 lines; of what follows only the end is kept, and comes when ' +
      'the work has ended',
      `6100 lines of ${numbered(6100, 2900).join('').length} bytes are left out here`,
    ]);
    expect(sent.slice(tail + 1)).toEqual(numbered(1000, 9000));
    expect([spool.isTruncated, spool.leftOut, spool.total]).toEqual([true, 6100, sent.length]);
  });

  it('say so as soon as lines are left out', async () => {
    const { spool } = open(() => Promise.reject(new Error('no file is needed')), { maxBytes: 1 << 20, maxLines: 4000 });
    for (const message of numbered(3900)) void spool.append(line(message));
    expect([spool.readable, spool.isTruncated]).toEqual([2900, false]);
    void spool.append(line('one too many'));
    expect([spool.readable, spool.isTruncated]).toEqual([2901, true]);
  });

  it('that fit are all kept, those behind the beginning too', async () => {
    const { spool } = open(() => Promise.reject(new Error('no file is needed')), { maxBytes: 1 << 20, maxLines: 4000 });
    for (const message of numbered(3900)) void spool.append(line(message));
    await spool.end();
    expect(await drain(spool)).toEqual(numbered(3900));
    expect([spool.isTruncated, spool.leftOut]).toEqual([false, 0]);
  });

  it('keep the last 200 lines of the step that failed, whatever the steps after it write', async () => {
    const { spool } = open(() => Promise.reject(new Error('no file is needed')), { maxBytes: 1 << 20, maxLines: 4000 });
    for (const message of numbered(50_000)) void spool.append(line(message, { step: 'failing' }));
    spool.keep('failing');
    for (const message of numbered(50_000, 100_000)) void spool.append(line(message, { step: 'always' }));
    await spool.end();
    const sent = await drain(spool);
    expect(sent.filter((message) => /^line \d{5}$/.test(message)).slice(-200)).toEqual(numbered(200, 49_800));
    expect(sent.at(-1)).toBe('line 149999');
    const left = sent.flatMap((message) =>
      Number(/^(\d+) lines of \d+ bytes are left out here$/.exec(message)?.[1] ?? 0)
    ).reduce((sum, each) => sum + each);
    expect(left).toBe(spool.leftOut);
    expect(left + sent.filter((message) => message.startsWith('line')).length).toBe(100_000);
  });

  it("keep the failing step's last 200 lines also where the budget is smaller", async () => {
    const { spool } = open(() => Promise.reject(new Error('no file is needed')), { maxBytes: 1000, maxLines: 10 });
    for (const message of numbered(1000)) void spool.append(line(message, { step: 'failing' }));
    spool.keep('failing');
    await spool.end();
    expect((await drain(spool)).slice(-200)).toEqual(numbered(200, 800));
    expect(spool.isTruncated).toBe(true);
  });

  it('make their writer wait while the disk is behind', async () => {
    const file = new SlowFile();
    const { spool } = open(() => Promise.resolve(file));
    const big = 'x'.repeat(400_000);
    for (let i = 0; i < 5; i++) expect(spool.append(line(big))).toBeUndefined();
    const wait = spool.append(line(big));
    expect(wait).toBeInstanceOf(Promise);
    expect(await settled(wait as Promise<void>)).toBe(false);
    file.waiting.shift()!();
    expect(await settled(wait as Promise<void>)).toBe(true);
  });

  it('make their writer wait while the server is far behind, until it has taken enough or wants no more', async () => {
    for (const release of ['sent', 'stop'] as const) {
      const file = new SlowFile();
      file.append = async () => {};
      const { spool } = open(() => Promise.resolve(file));
      const big = 'x'.repeat(1 << 19);
      let wait: void | Promise<void> = undefined;
      for (let i = 0; i < 65; i++) {
        wait = spool.append(line(big));
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await settled(wait as Promise<void>)).toBe(false);
      if (release === 'sent') spool.sent(10);
      else spool.stop();
      expect(await settled(wait as Promise<void>)).toBe(true);
    }
  });

  it('that the disk refuses cost the oldest that wait: a line says how many, the newest are there, and nobody waits', async () => {
    const { spool, heard } = open(() => Promise.reject(new Error('ENOSPC')));
    const all = numbered(5000, 0, 1000);
    // The first call is under way: its lines keep their numbers.
    for (const message of all.slice(0, 10)) void spool.append(line(message));
    const begun = (await spool.read(0, 10, 1 << 19)).map(({ message }) => message);
    for (const message of all.slice(10)) await spool.append(line(message));
    await spool.end();
    expect(heard.failures).toHaveLength(1);
    expect(spool.isTruncated).toBe(true);
    const sent = await drain(spool);
    expect(sent.slice(0, 10)).toEqual(begun);
    const lost = sent.filter((message) => message.includes('lost here'));
    expect(lost).toEqual([`${spool.leftOut} lines are lost here, because the disk of the ship does not take more`]);
    expect(sent.slice(11)).toEqual(all.slice(10 + spool.leftOut));
    expect(sent.length - 1 + spool.leftOut).toBe(5000);
    expect(sent.length).toBeGreaterThan(500);
  });

  it('go to disk again when that has room again', async () => {
    const spools = createDiskSpools(join(folder, 'spool'));
    await spools.sweep();
    let full = true;
    const { spool } = open(() => (full ? Promise.reject(new Error('ENOSPC')) : spools.create('a.log')));
    for (const message of numbered(2000, 0, 1000)) await spool.append(line(message));
    full = false;
    const before = spool.leftOut;
    expect(before).toBeGreaterThan(0);
    for (const message of numbered(8000, 2000, 1000)) await spool.append(line(message));
    await spool.end();
    expect(spool.leftOut).toBe(before);
    expect(await drain(spool)).toHaveLength(10_000 - before + 1);
    await spool.remove();
  });
});
