import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunRef } from '../queue/port.ts';
import { line, lines, LogFixture, type LogLimits, SHIP, START } from './test-fixture.ts';

const open: LogFixture[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fixture) => fixture.close()));
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function started(limits: LogLimits = {}, path = ':memory:'): Promise<{ fixture: LogFixture; ref: RunRef }> {
  const fixture = await LogFixture.open(limits, { path });
  open.push(fixture);
  return { fixture, ref: await fixture.newRun() };
}

async function file(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-logs-'));
  folders.push(folder);
  return join(folder, 'runs.db');
}

const chunks = async ({ sql }: LogFixture) =>
  (await sql.all('SELECT count FROM log_chunks ORDER BY first_offset')).map(({ count }) => count);

describe('append', () => {
  it('stores an overlap once (scenario 13)', async () => {
    const { fixture, ref } = await started();
    expect(await fixture.logs.append(ref, SHIP, 0, lines(10))).toEqual({ status: 'stored', nextSeq: 10 });
    expect(await fixture.logs.append(ref, SHIP, 5, lines(10, 5))).toEqual({ status: 'stored', nextSeq: 15 });
    expect(await fixture.logs.append(ref, SHIP, 0, lines(3))).toEqual({ status: 'stored', nextSeq: 15 });
    expect((await fixture.read(ref)).messages).toEqual(lines(15).map(({ message }) => message));
    expect(await fixture.logs.nextSeq(ref.runId, 1)).toBe(15);
  });

  it('responds to a gap with the expected line, and stores nothing of it (scenario 14)', async () => {
    const { fixture, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(2));
    expect(await fixture.logs.append(ref, SHIP, 3, lines(2, 3))).toEqual({ status: 'gap', nextSeq: 2 });
    expect((await fixture.read(ref)).messages).toHaveLength(2);
  });

  it('refuses ships that do not hold the run: another ship, an old fence, an attempt that has ended', async () => {
    const { fixture, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(1));
    expect((await fixture.logs.append(ref, 'b'.repeat(32), 1, lines(1))).status).toBe('fenced');
    expect((await fixture.logs.append({ ...ref, fence: 0 }, SHIP, 1, lines(1))).status).toBe('fenced');
    const second = await fixture.end(ref, 'queued');
    expect((await fixture.logs.append(ref, SHIP, 1, lines(1))).status).toBe('fenced');
    expect((await fixture.logs.append(second, SHIP, 0, lines(1))).status).toBe('stored');
    await fixture.end(second, 'failed');
    expect((await fixture.logs.append(second, SHIP, 1, lines(1))).status).toBe('fenced');
    expect((await fixture.read(ref)).messages).toEqual(['line 0', 'the attempt has ended: queued']);
    expect((await fixture.read(second)).messages).toEqual(['line 0', 'the attempt has ended: failed']);
  });

  it('counts from 0 again when the attempt is assigned again, and continues the same log', async () => {
    const { fixture, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, lines(3));
    const again = await fixture.handOutAgain(ref);
    expect(await fixture.logs.nextSeq(ref.runId, 1)).toBe(0);
    expect(await fixture.logs.append(again, SHIP, 1, lines(1))).toEqual({ status: 'gap', nextSeq: 0 });
    expect(await fixture.logs.append(again, SHIP, 0, lines(2, 3))).toEqual({ status: 'stored', nextSeq: 2 });
    expect((await fixture.logs.append(ref, SHIP, 3, lines(1))).status).toBe('fenced');
    expect(await fixture.logs.nextSeq(ref.runId, 1)).toBe(2);
    expect((await fixture.read(ref)).messages).toEqual(lines(5).map(({ message }) => message));
  });

  it('keeps all fields, with the time between the start of the attempt and now (scenario 22)', async () => {
    const { fixture, ref } = await started();
    fixture.clock.time += 5000;
    await fixture.logs.append(ref, SHIP, 0, [line('early', { unixMs: START - 3_600_000, stream: 'stderr' }),
      line('in time', { unixMs: START + 1234, level: 'debug', stream: 'system', step: null }),
      line('late', { unixMs: START + 3_600_000, level: 'error' })]);
    expect((await fixture.list(ref)).data).toEqual([{
      time: new Date(START).toISOString(),
      level: 'info',
      run_id: ref.runId,
      attempt: 1,
      message: 'early',
      stream: 'stderr',
      step: 'test',
    }, {
      time: new Date(START + 1234).toISOString(),
      level: 'debug',
      run_id: ref.runId,
      attempt: 1,
      message: 'in time',
      stream: 'system',
      step: null,
    }, {
      time: new Date(START + 5000).toISOString(),
      level: 'error',
      run_id: ref.runId,
      attempt: 1,
      message: 'late',
      stream: 'stdout',
      step: 'test',
    }]);
  });

  it('splits lines that are too long between characters, and repairs what is not Unicode', async () => {
    const { fixture, ref } = await started({ max_line: 10 });
    const texts = ['ééééééé', '🙂🙂🙂🙂', 'plain text that is long', '\ud800 alone', ''];
    expect(await fixture.logs.append(ref, SHIP, 0, texts.map((text) => line(text)))).toEqual({
      status: 'stored',
      nextSeq: 5,
    });
    const { messages } = await fixture.read(ref);
    expect(messages).toEqual(['ééééé', 'éé', '🙂🙂', '🙂🙂', 'plain text', ' that is l', 'ong', '\ufffd alone', '']);
  });

  it('does not make a row of each line', async () => {
    const { fixture, ref } = await started();
    for (let i = 0; i < 230; i++) await fixture.logs.append(ref, SHIP, i, lines(1, i));
    expect(await chunks(fixture)).toEqual([100, 100, 30]);
    await fixture.logs.append(ref, SHIP, 230, lines(500, 230));
    expect(await chunks(fixture)).toEqual([100, 100, 100, 100, 100, 100, 100, 30]);
    expect((await fixture.read(ref)).messages).toEqual(lines(730).map(({ message }) => message));
  });

  it('keeps chunks of long lines small', async () => {
    const { fixture, ref } = await started();
    await fixture.logs.append(ref, SHIP, 0, Array.from({ length: 40 }, (_, i) => line(String(i).padEnd(16_384, 'x'))));
    expect(await chunks(fixture)).toEqual([16, 16, 8]);
  });

  it('takes no more of a call than is good for the server, and says where to go on', async () => {
    const { fixture, ref } = await started();
    expect(await fixture.logs.append(ref, SHIP, 0, lines(1500))).toEqual({ status: 'stored', nextSeq: 1000 });
    expect(await fixture.logs.append(ref, SHIP, 1000, [line('x'.repeat(900_000)), line('y'.repeat(900_000))])).toEqual({
      status: 'stored',
      nextSeq: 1001,
    });
  });

  it('keeps what several ships send at once', async ({ skip }) => {
    const { fixture } = await started({}, await file());
    skip(fixture.sql.info.driver === 'postgres', 'calls for one attempt that overtake each other are told of the gap');
    const refs = await Promise.all(Array.from({ length: 20 }, () => fixture.newRun()));
    await Promise.all(
      refs.flatMap((ref) => [0, 30, 60].map((from) => fixture.logs.append(ref, SHIP, from, lines(30, from)))),
    );
    for (const ref of refs) expect((await fixture.read(ref)).messages).toEqual(lines(90).map(({ message }) => message));
    expect(fixture.logs.totalBytes()).toBe(await fixture.chunkBytes());
  });
});

describe('the budget of an attempt', () => {
  it('ends the log with one warning, also when it is crossed inside a batch; the run goes on (scenario 23)', async () => {
    const { fixture, ref } = await started({ attempt_events: 7 });
    expect(await fixture.logs.append(ref, SHIP, 0, lines(5))).toEqual({ status: 'stored', nextSeq: 5 });
    expect(await fixture.logs.append(ref, SHIP, 5, lines(5, 5))).toEqual({ status: 'budget', nextSeq: 10 });
    expect(await fixture.logs.append(ref, SHIP, 8, lines(5, 8))).toEqual({ status: 'budget', nextSeq: 13 });
    expect(await fixture.logs.append(ref, SHIP, 20, lines(5, 20))).toEqual({ status: 'gap', nextSeq: 13 });
    await fixture.end(ref, 'succeeded');
    const { data, complete } = await fixture.list(ref);
    expect(data.map(({ message }) => message).slice(0, 7)).toEqual(lines(7).map(({ message }) => message));
    expect(data.slice(7).map(({ level, stream, step }) => [level, stream, step])).toEqual([['warn', 'system', null], [
      'info',
      'system',
      null,
    ]]);
    expect(data[7]!.message).toBe('the log has reached its limit of 16MiB or 7 lines; what follows is dropped');
    expect(complete).toBe(true);
    expect((await fixture.run(ref.runId))!.logTruncated).toBe(true);
    expect(fixture.dropped).toBe(6);
  });

  it('counts bytes of UTF-8, and starts over with each attempt', async () => {
    const { fixture, ref } = await started({ attempt_budget: 1000 });
    await fixture.logs.append(ref, SHIP, 0, Array.from({ length: 3 }, () => line('é'.repeat(200))));
    expect((await fixture.read(ref)).messages.map((message) => message.length).slice(0, 2)).toEqual([200, 200]);
    const second = await fixture.end(ref, 'queued');
    expect((await fixture.logs.append(second, SHIP, 0, [line('x'.repeat(1000))])).status).toBe('stored');
    const run = (await fixture.run(ref.runId))!;
    expect(run.logTruncated).toBe(false);
    const all = [...(await fixture.read(ref)).messages, ...(await fixture.read(second)).messages];
    expect(run.logsBytes).toBe(Buffer.byteLength(all.join('')));
  });

  it(
    'is exceeded by the last lines of a failed step, where the ship leaves out the middle; the run says that lines ' +
      'are missing',
    async () => {
      const { fixture, ref } = await started({ attempt_events: 7 });
      expect(await fixture.logs.append(ref, SHIP, 0, lines(6))).toEqual({ status: 'stored', nextSeq: 6 });
      expect((await fixture.run(ref.runId))!.logTruncated).toBe(false);
      expect(await fixture.logs.append(ref, SHIP, 6, lines(400, 6), true)).toEqual({ status: 'stored', nextSeq: 406 });
      expect((await fixture.run(ref.runId))!.logTruncated).toBe(true);
      expect(await fixture.logs.append(ref, SHIP, 406, lines(600, 406), true)).toMatchObject({ status: 'stored' });
      expect(await fixture.logs.append(ref, SHIP, 1006, lines(100), true)).toMatchObject({ status: 'budget' });
      expect(await fixture.logs.isFull(ref.runId, 1)).toBe(true);
    },
  );

  it('has room for exactly what it says', async () => {
    const { fixture, ref } = await started({ attempt_budget: 10, attempt_events: 3 });
    expect((await fixture.logs.append(ref, SHIP, 0, [line('12345'), line('12345')])).status).toBe('stored');
    expect((await fixture.logs.append(ref, SHIP, 2, [line('')])).status).toBe('stored');
    expect((await fixture.logs.append(ref, SHIP, 3, [line('')])).status).toBe('budget');
  });
});

type Step = { readonly kind: 'append'; readonly back: number; readonly count: number; readonly size: number } | {
  readonly kind: 'gap';
  readonly ahead: number;
} | { readonly kind: 'note' | 'reopen' | 'fail' | 'handover' };

const step: fc.Arbitrary<Step> = fc.oneof({
  weight: 6,
  arbitrary: fc.record({
    kind: fc.constant('append' as const),
    back: fc.nat(20),
    count: fc.nat(130),
    size: fc.constantFrom(1, 10, 10, 3000),
  }),
}, { weight: 1, arbitrary: fc.record({ kind: fc.constant('gap' as const), ahead: fc.integer({ min: 1, max: 5 }) }) }, {
  weight: 2,
  arbitrary: fc.record({
    kind: fc.constantFrom('note' as const, 'reopen' as const, 'fail' as const, 'handover' as const),
  }),
});

/** The content of a log, independent of chunks, pages and files. */
class Model {
  readonly events: string[] = [];
  seq = 0;
  #bytes = 0;
  #truncated = false;

  readonly maxBytes: number;
  readonly maxEvents: number;

  constructor(maxBytes: number, maxEvents: number) {
    this.maxBytes = maxBytes;
    this.maxEvents = maxEvents;
  }

  append(firstSeq: number, messages: readonly string[]): { status: string; nextSeq: number } {
    for (const [i, message] of messages.entries()) {
      if (firstSeq + i < this.seq) continue;
      this.seq += 1;
      if (this.#truncated) continue;
      this.#truncated = this.#bytes + Buffer.byteLength(message) > this.maxBytes ||
        this.events.length + 1 > this.maxEvents;
      this.add(this.#truncated ? 'WARNING' : message);
    }
    return { status: this.#truncated ? 'budget' : 'stored', nextSeq: this.seq };
  }

  add(message: string): void {
    this.events.push(message);
    this.#bytes += Buffer.byteLength(message === 'WARNING' ? WARNING : message);
  }
}

const LIMITS = { attempt_budget: 250_000, attempt_events: 700 };
const WARNING = 'the log has reached its limit of 250000 or 700 lines; what follows is dropped';

describe('a log', () => {
  it('is what was sent, once and in order, whatever is sent again, mixed in, undone, or in between restarts', async () => {
    const path = await file();
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      let { fixture } = await started(LIMITS, path);
      let ref = await fixture.newRun();
      const model = new Model(LIMITS.attempt_budget, LIMITS.attempt_events);
      for (const each of steps) {
        if (each.kind === 'append') {
          const first = Math.max(0, model.seq - each.back);
          const messages = Array.from({ length: each.count }, (_, i) => `line ${first + i} `.padEnd(each.size, '-'));
          const sent = fixture.logs.append(ref, SHIP, first, messages.map((message) => line(message)));
          expect(await sent).toEqual(model.append(first, messages));
        } else if (each.kind === 'gap') {
          expect(await fixture.logs.append(ref, SHIP, model.seq + each.ahead, lines(3))).toEqual({
            status: 'gap',
            nextSeq: model.seq,
          });
        } else if (each.kind === 'note') {
          await fixture.note(ref, 'a note');
          model.add('a note');
        } else if (each.kind === 'handover') {
          ref = await fixture.handOutAgain(ref);
          model.seq = 0;
        } else if (each.kind === 'fail') {
          const undone = fixture.sql.transaction(async (tx) => {
            await fixture.logs.note(tx, ref.runId, 1, 'info', 'undone');
            throw new Error('on purpose');
          });
          await expect(undone).rejects.toThrow('on purpose');
        } else {
          await open.pop()!.close();
          fixture = await LogFixture.open(LIMITS, { path });
          open.push(fixture);
        }
      }
      const expected = model.events.map((event) => (event === 'WARNING' ? WARNING : event));
      expect((await fixture.read(ref)).messages).toEqual(expected);
      const middle = Math.floor(expected.length / 2);
      expect((await fixture.list(ref, middle)).data.map(({ message }) => message)).toEqual(
        expected.slice(middle, middle + 100),
      );
      expect((await fixture.run(ref.runId))!.logsBytes).toBe(Buffer.byteLength(expected.join('')));
      expect(fixture.logs.totalBytes()).toBe(await fixture.chunkBytes());
      await open.pop()!.close();
    }), { numRuns: 12 });
  });
});
