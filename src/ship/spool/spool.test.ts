import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutputLine } from '../execute/port.ts';
import { createDiskSpools, LineSpool, type SpoolFile } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (message: string, rest: Partial<OutputLine> = {}): OutputLine => ({ unixMs: 1_700_000_000_000, level: 'info', stream: 'stdout', step: 'one', message, ...rest });
const LIMITS = { maxBytes: 1 << 30, maxLines: 1_000_000 };

function open(file: Promise<SpoolFile>, limits = LIMITS) {
  const heard = { changes: 0, failures: [] as unknown[] };
  const spool = new LineSpool(file, { ...limits, onChange: () => heard.changes++, onFailure: (error) => heard.failures.push(error) });
  return { spool, heard };
}

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

  it('gives back every line as it was written, in calls of any size', async () => {
    const spools = createDiskSpools(join(folder, 'spool'));
    await spools.sweep();
    let count = 0;
    const aLine = fc.record({
      unixMs: fc.nat(2 ** 45), level: fc.constantFrom('debug', 'info', 'warn', 'error'), stream: fc.constantFrom('stdout', 'stderr', 'system'), step: fc.option(fc.constant('build')), message: fc.string({ unit: 'grapheme', maxLength: 60 }),
    });
    await fc.assert(fc.asyncProperty(fc.array(aLine, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 500 }), async (lines, maxLines, maxBytes) => {
      const { spool } = open(spools.create(`${count++}`));
      for (const each of lines as OutputLine[]) {
        void spool.append(each);
        if (each.unixMs % 3 === 0) await spool.settled();
      }
      await spool.settled();
      expect([spool.total, spool.readable]).toEqual([lines.length, lines.length]);
      const messages: string[] = [];
      while (messages.length < lines.length) {
        const read = await spool.read(messages.length, maxLines, maxBytes);
        expect(read.length).toBeGreaterThan(0);
        expect(read.length).toBeLessThanOrEqual(maxLines);
        const { step, level } = lines[messages.length]!;
        expect(read[0]).toMatchObject({ step: step ?? '', level: ['debug', 'info', 'warn', 'error'].indexOf(level) });
        messages.push(...read.map(({ message }) => message));
      }
      expect(messages).toEqual(lines.map(({ message }) => message));
      await spool.remove();
    }), { numRuns: 60 });
    expect(readdirSync(join(folder, 'spool'))).toEqual([]);
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

const settled = async (promise: Promise<unknown>): Promise<boolean> => Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);

describe('the lines of an attempt', () => {
  it('end with the first beyond the budget of bytes or of lines; all are counted', async () => {
    const spools = createDiskSpools(join(folder, 'spool'));
    await spools.sweep();
    for (const limits of [{ maxBytes: 30, maxLines: 1000 }, { maxBytes: 1000, maxLines: 3 }]) {
      const { spool } = open(spools.create(JSON.stringify(limits).length.toString() + limits.maxLines), limits);
      for (let i = 0; i < 10; i++) void spool.append(line('0123456789'));
      await spool.settled();
      expect([spool.total, spool.readable]).toEqual([10, 4]);
      await spool.remove();
    }
  });

  it('make their writer wait while the disk is behind', async () => {
    const file = new SlowFile();
    const { spool } = open(Promise.resolve(file));
    const big = 'x'.repeat(400_000);
    expect([spool.append(line(big)), spool.append(line(big))]).toEqual([undefined, undefined]);
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
      const { spool } = open(Promise.resolve(file));
      const big = 'x'.repeat(1 << 19);
      let wait: void | Promise<void> = undefined;
      for (let i = 0; i < 65; i++) {
        wait = spool.append(line(big));
        await spool.settled();
      }
      expect(await settled(wait as Promise<void>)).toBe(false);
      if (release === 'sent') spool.sent(10);
      else spool.stop();
      expect(await settled(wait as Promise<void>)).toBe(true);
    }
  });

  it('that the disk refuses are counted, and nobody waits for them', async () => {
    const file = new SlowFile();
    const { spool, heard } = open(Promise.resolve(file));
    const big = 'x'.repeat(600_000);
    void spool.append(line('first'));
    const wait = [spool.append(line(big)), spool.append(line(big))][1] as Promise<void>;
    await settled(wait);
    file.error = new Error('ENOSPC');
    file.waiting.shift()!();
    await wait;
    expect([spool.total, spool.readable, heard.failures.length]).toEqual([3, 0, 1]);
    expect(spool.append(line('later'))).toBeUndefined();
    expect(spool.total).toBe(4);
  });
});
