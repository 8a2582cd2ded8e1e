import { Batcher } from '../../lib/batcher.ts';
import { formatByteSize } from '../../lib/byte-size.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sql, Transaction } from '../../storage/index.ts';
import type { LiveConfig } from '../environment.ts';
import type { RunRef } from '../queue/port.ts';
import { isStoreDown, storageUnavailable } from '../storage-failures.ts';
import { encodeEvent, fillChunks, splitMessage } from './chunk.ts';
import type { DiskRoom } from './disk-room.ts';
import { type OpenLog, OpenLogs } from './open-logs.ts';
import type { AppendAnswer, ServerLine, ShipLine } from './port.ts';
import { type AttemptLog, CUT, newAttempt, packChunks, type PackedChunk, PHASE, startOf, takesMore, updateHeldRuns,
  updateRunLog, writeAttempts, writeChunks } from './rows.ts';

/**
 * Most lines or bytes per call, so that the event loop is not blocked; the response says where to continue. Ships send
 * half of this.
 */
const CALL_LINES = 1000;
const CALL_BYTES = 1_048_576;

/**
 * Calls with fewer lines are usually followed by others, so the last chunk is compressed only when it is full, and
 * calls are written together.
 */
const FEW_LINES = 20;

/** If the ship leaves out the middle of a log, the log may exceed its budget by the last lines of failed steps. */
const KEPT_LINES = 1000;

/** Lines added to a log; reported once they are on disk. */
export interface Added {
  readonly runId: string;
  readonly attempt: number;
  readonly messageBytes: number;
  readonly storedBytes: number;
  /** Number of lines that were dropped because the attempt's budget is used up. */
  readonly dropped: number;
}

interface WriterOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly config: LiveConfig;
  readonly room: Pick<DiskRoom, 'isShort'> | undefined;
  /** Must not throw. */
  readonly added: (added: Added) => void;
}

/** What a call of a ship does to a log, if the ship holds the run: `log` is its state after that. */
interface Plan {
  readonly append: Append;
  readonly log: AttemptLog;
  /** Absent if nothing is written. */
  readonly addition?: Addition;
  /** Lines before those of the call are missing. */
  readonly isGap: boolean;
}

/** Lines that a ship sends by one call. */
interface Append {
  readonly ref: RunRef;
  readonly shipId: string;
  readonly firstSeq: number;
  readonly lines: readonly ShipLine[];
  /** The ship leaves lines out of this log. */
  readonly cut: boolean;
}

/** Most calls that are written in one transaction. */
const BATCH = 64;

function oneOfEachAttempt(): (append: Append) => boolean {
  const attempts = new Set<string>();
  return ({ ref: { runId, attempt } }) => attempts.size < attempts.add(`${runId}.${attempt}`).size;
}

/** Events that are added to a log: what is written, and its state after that. */
interface Addition {
  readonly packed: readonly PackedChunk[];
  readonly messageBytes: number;
  readonly storedBytes: number;
  readonly dropped: number;
  readonly after: OpenLog;
}

/**
 * Writes logs. The events of an attempt are numbered from 0 without gaps, counting lines of ship and server together. A
 * ship's own lines have a second number, so that lines that it sends twice are stored once (decisions, section 4,
 * "Sequencing").
 *
 * Acknowledged lines are on disk. The last chunk is rewritten until it has 100 events: an event is written at most 50
 * times on average if lines arrive one by one, and about once if they arrive in batches.
 */
export class LogWriter {
  readonly #options: WriterOptions;
  readonly #open: OpenLogs;
  /** Calls with few lines: those for different attempts are written in one transaction. */
  readonly #appends: Batcher<Append, AppendAnswer>;

  constructor(options: WriterOptions) {
    this.#appends = new Batcher({
      process: (appends) => options.sql.transaction((tx) => this.#appendAll(tx, appends)),
      most: BATCH,
      joining: oneOfEachAttempt,
      concernsAll: isStoreDown,
    });
    this.#options = options;
    this.#open = new OpenLogs(options.sql.peers === undefined);
  }

  /** Must be called in the transaction that marks a log as removed. */
  forget(runId: string, attempt: number): void {
    this.#open.forget(runId, attempt);
  }

  /** `cut`: the ship leaves lines out of this log. */
  append(ref: RunRef, shipId: string, firstSeq: number, lines: readonly ShipLine[],
    cut = false): Promise<AppendAnswer>
  {
    // The ship keeps them, and sends them again.
    if (this.#options.room?.isShort())
      return Promise.reject(storageUnavailable('the disk of the service has no room for logs'));
    const append = { ref, shipId, firstSeq, lines, cut };
    if (lines.length < FEW_LINES) return this.#appends.add(append);
    return this.#options.sql.transaction(async (tx) => (await this.#appendAll(tx, [append]))[0]!);
  }

  /** Stores lines of different attempts. Their runs are changed first, under the condition that the ships hold them. */
  async #appendAll(tx: Transaction, appends: readonly Append[]): Promise<AppendAnswer[]> {
    const known = await this.#open.readMany(tx, appends.map(({ ref }) => ref));
    const plans: Plan[] = [];
    for (const append of appends) plans.push(await this.#plan(tx, append, known(append.ref.runId, append.ref.attempt)));
    const kept = plans.filter(({ log }) => log.phase === PHASE.kept);
    const held = await updateHeldRuns(tx, kept.map(({ append: { ref, shipId }, addition, log }) => ({
      ref,
      shipId,
      moreBytes: addition?.messageBytes ?? 0,
      isCut: log.cut !== CUT.none,
    })));
    const stored = new Set(kept.filter((_, i) => held[i]));
    await this.#write(tx, [...stored].flatMap(({ addition }) => (addition === undefined ? [] : [addition])));
    return plans.map((plan) => {
      if (!stored.has(plan)) return { status: 'fenced', nextSeq: 0 };
      const { log: { cut, nextSeq }, isGap } = plan;
      return { status: isGap ? 'gap' : cut === CUT.rest ? 'budget' : 'stored', nextSeq };
    });
  }

  async #plan(tx: Transaction, append: Append, known: OpenLog | undefined): Promise<Plan> {
    const { ref, firstSeq, lines, cut } = append;
    const found = known ?? { log: newAttempt(ref.runId, ref.attempt), tail: undefined };
    // The attempt was assigned again under the same number: its present ship counts lines from 0.
    const own = found.log.fence === ref.fence
      ? found
      : { log: { ...found.log, fence: ref.fence, nextSeq: 0 }, tail: found.tail };
    const log = cut && own.log.cut === CUT.none ? { ...own.log, cut: CUT.some } : own.log;
    if (firstSeq > log.nextSeq) return { append, log: { ...log, cut: own.log.cut }, isGap: true };
    const fresh = oneCall(lines.slice(log.nextSeq - firstSeq));
    if (log.phase !== PHASE.kept || fresh.length === 0)
      return { append, log: { ...log, cut: own.log.cut }, isGap: false };
    const addition = await this.#take(tx, { ...own, log }, fresh);
    return { append, log: addition.after.log, addition, isGap: false };
  }

  /**
   * Adds a line of the server. The budget does not apply, because there are few, and they say how an attempt ended.
   * `cut`: the line says that lines are missing.
   */
  async note(tx: Transaction, runId: string, attempt: number, level: ShipLine['level'], message: string,
    cut = false): Promise<void>
  {
    const found = await this.#find(tx, runId, attempt);
    if (found.log.phase !== PHASE.kept) return;
    const log = cut && found.log.cut === CUT.none ? { ...found.log, cut: CUT.some } : found.log;
    const after = await this.#store(tx, { ...found, log }, this.#systemLines(level, message), {
      dropped: 0,
      grows: true,
    });
    await updateRunLog(tx, after, after.messageBytes - log.messageBytes);
  }

  /** See `RunLogs.lines`. */
  async lines(tx: Transaction, lines: readonly ServerLine[]): Promise<number[]> {
    const known = await this.#open.readMany(tx, lines.filter(({ isFirst }) => !isFirst));
    const additions = lines.map(({ runId, attempt, level, message, isLast = false }) => {
      const found = known(runId, attempt) ?? { log: newAttempt(runId, attempt), tail: undefined };
      if (found.log.phase !== PHASE.kept) return undefined;
      return this.#add(found, this.#systemLines(level, message), { dropped: 0, grows: !isLast });
    });
    await this.#write(tx, additions.filter((each) => each !== undefined));
    return additions.map((each) => each?.messageBytes ?? 0);
  }

  #systemLines(level: ShipLine['level'], message: string): ShipLine[] {
    return split(systemLine(this.#options.clock.now(), level, message),
      this.#options.config.current().config.logs.max_line);
  }

  async #find(tx: Transaction, runId: string, attempt: number): Promise<OpenLog> {
    return (await this.#open.read(tx, runId, attempt)) ?? { log: newAttempt(runId, attempt), tail: undefined };
  }

  /**
   * Accepts the lines that fit in the budget. After the first one that does not fit, only a line that says so is added.
   */
  async #take(tx: Transaction, { log, tail, startMs }: OpenLog, lines: readonly ShipLine[]): Promise<Addition> {
    const next = { ...log, nextSeq: log.nextSeq + lines.length };
    if (log.cut === CUT.rest)
      return {
        packed: [],
        messageBytes: 0,
        storedBytes: 0,
        dropped: lines.length,
        after: { log: next, tail, startMs },
      };
    const { attempt_budget: budget, attempt_events: lineBudget, max_line: maxLine } =
      this.#options.config.current().config.logs;
    const kept = log.cut === CUT.some ? KEPT_LINES : 0;
    const [maxBytes, maxEvents] = [budget + kept * maxLine, lineBudget + kept];
    const [now, start] = [this.#options.clock.now(), startMs ?? await startOf(tx, log.runId)];
    const events: ShipLine[] = [];
    let bytes = log.messageBytes;
    let taken = 0;
    for (; taken < lines.length; taken++) {
      const pieces = split(within(lines[taken]!, start ?? -Infinity, now), maxLine);
      bytes += bytesOf(pieces);
      if (bytes > maxBytes || log.nextOffset + events.length + pieces.length > maxEvents) break;
      events.push(...pieces);
    }
    const isFull = taken < lines.length;
    if (isFull)
      events.push(
        systemLine(now, 'warn',
          `the log has reached its limit of ${formatByteSize(budget)} or ${lineBudget} lines; what follows is dropped`),
      );
    const open = { log: isFull ? { ...next, cut: CUT.rest } : next, tail, startMs: start };
    return this.#add(open, events, { dropped: lines.length - taken, grows: lines.length < FEW_LINES });
  }

  async #store(tx: Transaction, open: OpenLog, events: readonly ShipLine[],
    how: { dropped: number; grows: boolean }): Promise<AttemptLog>
  {
    const addition = this.#add(open, events, how);
    await this.#write(tx, [addition]);
    return addition.after.log;
  }

  /** The chunks and the record of a log with further events. */
  #add({ log, tail: open, startMs }: OpenLog, events: readonly ShipLine[],
    { dropped, grows }: { dropped: number; grows: boolean }): Addition
  {
    const tail = takesMore(log) ? open : undefined;
    const chunks = fillChunks(tail?.chunk, log.nextOffset, events.map(encodeEvent));
    const packed = packChunks(chunks, grows);
    const storedBytes = packed.reduce((sum, { body }) => sum + body.length, 0) - (tail?.storedBytes ?? 0);
    const [messageBytes, last] = [bytesOf(events), chunks.at(-1)!];
    const after = {
      ...log,
      nextOffset: log.nextOffset + events.length,
      tailOffset: last.firstOffset,
      tailBytes: last.bytes,
      messageBytes: log.messageBytes + messageBytes,
      storedBytes: log.storedBytes + storedBytes,
      lastMs: this.#options.clock.now(),
    };
    return {
      packed,
      messageBytes,
      storedBytes,
      dropped,
      after: { log: after, tail: { chunk: last, storedBytes: packed.at(-1)!.body.length }, startMs },
    };
  }

  async #write(tx: Transaction, additions: readonly Addition[]): Promise<void> {
    await Promise.all([
      writeChunks(tx,
        additions.flatMap(({ after: { log: { runId, attempt } }, packed }) =>
          packed.map((chunk) => ({ ...chunk, runId, attempt }))
        )),
      writeAttempts(tx, additions.map(({ after }) => after.log)),
    ]);
    for (const { after, messageBytes, storedBytes, dropped } of additions) {
      this.#open.wrote(tx, after);
      this.#notify(tx, after.log, messageBytes, storedBytes, dropped);
    }
  }

  #notify(tx: Transaction, { runId, attempt }: AttemptLog, messageBytes: number, storedBytes: number,
    dropped: number): void
  {
    tx.onCommit(() => this.#options.added({ runId, attempt, messageBytes, storedBytes, dropped }));
  }
}

function oneCall(lines: readonly ShipLine[]): readonly ShipLine[] {
  let bytes = 0;
  const end = lines.findIndex(({ message }, i) => {
    bytes += message.length;
    return i > 0 && (i === CALL_LINES || bytes > CALL_BYTES);
  });
  return end === -1 ? lines : lines.slice(0, end);
}

/** Limits its time to the time between the start of the attempt and now, because a ship's clock may be wrong. */
function within(line: ShipLine, start: number, now: number): ShipLine {
  return { ...line, unixMs: Math.min(Math.max(line.unixMs, start), now) };
}

/** Ships split long lines; lines of other senders are split here. */
function split(line: ShipLine, maxLine: number): ShipLine[] {
  return splitMessage(line.message.toWellFormed(), maxLine).map((message) => ({ ...line, message }));
}

function bytesOf(events: readonly ShipLine[]): number {
  return events.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
}

function systemLine(unixMs: number, level: ShipLine['level'], message: string): ShipLine {
  return { unixMs, level, stream: 'system', step: null, message };
}
