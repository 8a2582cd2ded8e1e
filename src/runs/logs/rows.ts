import { MultiRow, type Queries, type Row, type Transaction } from '../../storage/index.ts';
import type { RunRef } from '../queue/port.ts';
import { type Chunk, hasRoom, packChunk, packOpenChunk, unpackChunk } from './chunk.ts';

/** The record of an attempt's log; the columns are described in the migration that creates the table. */
export interface AttemptLog {
  readonly runId: string;
  readonly attempt: number;
  readonly fence: number;
  readonly nextSeq: number;
  readonly nextOffset: number;
  readonly tailOffset: number;
  readonly tailBytes: number;
  readonly messageBytes: number;
  readonly storedBytes: number;
  /** Which lines are left out. */
  readonly cut: number;
  readonly phase: number;
  readonly lastMs: number;
}

/**
 * Values of the column `truncated`: nothing is left out; everything above the budget; lines that the ship names, or
 * that did not arrive.
 */
export const CUT = { none: 0, rest: 1, some: 2 } as const;

/** Values of the column `phase`. */
export const PHASE = { kept: 0, removing: 1, removed: 2 } as const;

interface AttemptRow extends Row {
  readonly run_id: string;
  readonly attempt: number;
  readonly fence: number;
  readonly next_seq: number;
  readonly next_offset: number;
  readonly tail_offset: number;
  readonly tail_bytes: number;
  readonly message_bytes: number;
  readonly stored_bytes: number;
  readonly truncated: number;
  readonly phase: number;
  readonly last_ms: number;
}

export interface ChunkRow extends Row {
  readonly first_offset: number;
  readonly count: number;
  readonly body: Uint8Array;
}

const READ = 'SELECT * FROM log_attempts WHERE run_id = ? AND attempt = ?';

const WRITE = new MultiRow(
  'INSERT INTO log_attempts(run_id, attempt, fence, next_seq, next_offset, tail_offset, tail_bytes, ' +
    'message_bytes, stored_bytes, truncated, phase, last_ms) VALUES',
  '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  `ON CONFLICT(run_id, attempt) DO UPDATE SET
    fence = excluded.fence, next_seq = excluded.next_seq, next_offset = excluded.next_offset, tail_offset = excluded.tail_offset,
    tail_bytes = excluded.tail_bytes, message_bytes = excluded.message_bytes, stored_bytes = excluded.stored_bytes,
    truncated = excluded.truncated, phase = excluded.phase, last_ms = excluded.last_ms`,
);

// `log_truncated` is the value of the current attempt; `logs_bytes` is the sum of all of them.
const UPDATE_RUN = `
  UPDATE runs SET logs_bytes = logs_bytes + ?, log_truncated = CASE WHEN attempt = ? THEN ? ELSE log_truncated END
  WHERE id = ?`;

const WRITE_CHUNKS = new MultiRow('INSERT INTO log_chunks(run_id, attempt, first_offset, count, body) VALUES',
  '(?, ?, ?, ?, ?)',
  'ON CONFLICT(run_id, attempt, first_offset) DO UPDATE SET count = excluded.count, body = excluded.body');

const UPDATE_HELD = new MultiRow(
  'UPDATE runs SET logs_bytes = logs_bytes + given.column5, log_truncated = given.column6 FROM (VALUES',
  '(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT))',
  `) AS given WHERE id = given.column1 AND fence = given.column2 AND attempt = given.column3 AND ship_id = given.column4 AND state IN ('running', 'cancelling')
   RETURNING id`,
);

/**
 * Stores what lists of runs show in the rows of the runs that the ships hold, each of another run. Returns for each
 * whether its ship holds it: the condition of every fenced write.
 */
export async function updateHeldRuns(tx: Transaction,
  logs: readonly { readonly ref: RunRef; readonly shipId: string; readonly moreBytes: number;
    readonly isCut: boolean }[]): Promise<boolean[]>
{
  const rows = logs.map((
    { ref: { runId, fence, attempt }, shipId, moreBytes, isCut },
  ) => [runId, fence, attempt, shipId, moreBytes, Number(isCut)]);
  const held = new Set((await UPDATE_HELD.all<{ id: string }>(tx, [], rows)).map(({ id }) => id));
  return logs.map(({ ref: { runId } }) => held.has(runId));
}

/** The log of an attempt, or undefined if it has never had a line. */
export async function readAttempt(queries: Queries, runId: string, attempt: number): Promise<AttemptLog | undefined> {
  const row = await queries.get<AttemptRow>(READ, [runId, attempt]);
  return row && fromRow(row);
}

export function newAttempt(runId: string, attempt: number): AttemptLog {
  return {
    runId,
    attempt,
    fence: 0,
    nextSeq: 0,
    nextOffset: 0,
    tailOffset: 0,
    tailBytes: 0,
    messageBytes: 0,
    storedBytes: 0,
    cut: CUT.none,
    phase: PHASE.kept,
    lastMs: 0,
  };
}

export async function writeAttempts(tx: Transaction, logs: readonly AttemptLog[]): Promise<void> {
  await WRITE.run(tx, [],
    logs.map((
      log,
    ) => [log.runId, log.attempt, log.fence, log.nextSeq, log.nextOffset, log.tailOffset, log.tailBytes,
      log.messageBytes, log.storedBytes, log.cut, log.phase, log.lastMs]
    ));
}

/** Stores in the run's row what lists of runs show. */
export async function updateRunLog(tx: Transaction, log: AttemptLog, moreBytes: number): Promise<void> {
  await tx.run(UPDATE_RUN, [moreBytes, log.attempt, Number(log.cut !== CUT.none), log.runId]);
}

/** When the current attempt of a run began, in milliseconds. */
export async function startOf(tx: Transaction, runId: string): Promise<number | undefined> {
  const row = await tx.get<{ started_at: number | null }>('SELECT started_at FROM runs WHERE id = ?', [runId]);
  return row?.started_at == null ? undefined : row.started_at * 1000;
}

/**
 * The next expected line of the ship: 0 if the ship that holds the attempt now has not sent any, though a ship before
 * it may have.
 */
export async function readNextSeq(queries: Queries, runId: string, attempt: number): Promise<number> {
  const row = await queries.get<{ next_seq: number }>(
    'SELECT a.next_seq FROM log_attempts a JOIN runs r ON r.id = a.run_id AND r.fence = a.fence WHERE a.run_id = ' +
      '? AND a.attempt = ?',
    [runId, attempt],
  );
  return row?.next_seq ?? 0;
}

/** The last chunk of a log, as stored and with its stored size. */
export interface Tail {
  readonly chunk: Chunk;
  readonly storedBytes: number;
}

type WithTailRow = AttemptRow & { readonly chunk_offset: number | null; readonly chunk_count: number;
  readonly chunk_body: Uint8Array };

const READ_WITH_TAILS = new MultiRow(`
  SELECT a.*, c.first_offset AS chunk_offset, c.count AS chunk_count, c.body AS chunk_body
  FROM log_attempts a LEFT JOIN log_chunks c ON c.run_id = a.run_id AND c.attempt = a.attempt AND c.first_offset = a.tail_offset
  WHERE (a.run_id, a.attempt) IN (VALUES`, '(?, ?)', ')');

/**
 * The logs of these attempts, each with its last chunk if that is not full. Logs that have never had a line are not
 * among them.
 */
export async function readWithTails(tx: Transaction,
  attempts: readonly Pick<AttemptLog, 'runId' | 'attempt'>[]): Promise<{ log: AttemptLog; tail: Tail | undefined }[]>
{
  const rows = await READ_WITH_TAILS.all<WithTailRow>(tx, [], attempts.map(({ runId, attempt }) => [runId, attempt]));
  return rows.map((row) => {
    const log = fromRow(row);
    return { log, tail: row.chunk_offset === null || !takesMore(log) ? undefined : tailOf(log, row) };
  });
}

/** Whether the last chunk has space. */
export const takesMore = ({ nextOffset, tailOffset, tailBytes }: AttemptLog): boolean =>
  nextOffset > 0 && hasRoom({ count: nextOffset - tailOffset, bytes: tailBytes });

/** Undefined if it is damaged; then it cannot be extended. */
function tailOf({ tailOffset, tailBytes, nextOffset }: AttemptLog,
  { chunk_count: count, chunk_body: body }: WithTailRow): Tail | undefined
{
  if (tailOffset + count !== nextOffset) return undefined;
  try {
    return {
      chunk: { firstOffset: tailOffset, count, text: unpackChunk(body), bytes: tailBytes },
      storedBytes: body.length,
    };
  } catch {
    return undefined; // readers get the error
  }
}

/** A chunk in its stored form. */
export interface PackedChunk {
  readonly firstOffset: number;
  readonly count: number;
  readonly body: Uint8Array;
}

/**
 * Compressing a log of fewer bytes, such as the lines of the server alone, takes longer than all other work on it, and
 * saves little.
 */
const FEW_BYTES = 512;

/** `grows`: the last chunk is about to be extended. */
export function packChunks(chunks: readonly Chunk[], grows: boolean): PackedChunk[] {
  return chunks.map((chunk) => ({
    firstOffset: chunk.firstOffset,
    count: chunk.count,
    body: (grows && hasRoom(chunk)) || chunk.bytes < FEW_BYTES ? packOpenChunk(chunk) : packChunk(chunk),
  }));
}

/** Writes chunks; one that continues a stored chunk replaces it. */
export async function writeChunks(tx: Transaction,
  chunks: readonly (PackedChunk & Pick<AttemptLog, 'runId' | 'attempt'>)[]): Promise<void>
{
  await WRITE_CHUNKS.run(tx, [],
    chunks.map(({ runId, attempt, firstOffset, count, body }) => [runId, attempt, firstOffset, count, body]));
}

/** The chunks that begin after `after` and before `before`, in order. */
export function readChunks(queries: Queries, { runId, attempt }: AttemptLog, after: number,
  before: number): Promise<ChunkRow[]>
{
  const sql = `
    SELECT first_offset, count, body FROM log_chunks
    WHERE run_id = ? AND attempt = ? AND first_offset > ? AND first_offset < ? ORDER BY first_offset`;
  return queries.all<ChunkRow>(sql, [runId, attempt, after, before]);
}

function fromRow(row: AttemptRow): AttemptLog {
  return {
    runId: row.run_id,
    attempt: row.attempt,
    fence: row.fence,
    nextSeq: row.next_seq,
    nextOffset: row.next_offset,
    tailOffset: row.tail_offset,
    tailBytes: row.tail_bytes,
    messageBytes: row.message_bytes,
    storedBytes: row.stored_bytes,
    cut: row.truncated,
    phase: row.phase,
    lastMs: row.last_ms,
  };
}
