/**
 * The worker thread for heavy reads and for checkpoints: one connection for single queries, and one more for each open
 * stream, whose unfinished statement keeps its snapshot. Replies in the order of the requests.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ServiceError } from '../../errors/index.ts';
import { type Key, KeyRing } from '../encryption/key-ring.ts';
import { exact } from '../parameters.ts';
import type { SqlValue } from '../port.ts';
import type { LogState } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { resultCode } from './failures.ts';
import { openCheckpointer, openCompactor, openReader } from './open.ts';
import type { ThreadReply, ThreadRequest, ThreadRows } from './reader-client.ts';

interface OpenStream {
  readonly connection: Connection;
  readonly columns: readonly string[];
  readonly rows: Iterator<SqlValue[]>;
  readonly batch: number;
}

const { file, keys } = workerData as { file: string; keys: readonly Key[] | undefined };
const ring = keys && KeyRing.of(keys);
const port = parentPort!;
const streams = new Map<number, OpenStream>();
let shared: Connection | undefined;
let checkpointer: Connection | undefined;

port.on('message', (request: ThreadRequest) => {
  if (request.op === 'stop') return stop(request.id);
  port.postMessage(reply(request));
});

function reply(request: ThreadRequest): ThreadReply {
  try {
    return answer(request);
  } catch (error) {
    if ('id' in request) stop(request.id);
    if (error instanceof ServiceError && error.code === 'internal')
      return { error: error.message, code: undefined, unreadable: true };
    // SQLite's own error, not the converted one
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { error: cause instanceof Error ? cause.message : String(cause), code: resultCode(cause) };
  }
}

function answer(request: ThreadRequest): ThreadRows {
  switch (request.op) {
    case 'open':
      open(request);
      return nextBatch(request.id);
    case 'all':
    case 'get':
      return query(request.op, request.sql, request.params);
    case 'checkpoint':
      return { columns: ['checkpointed'], rows: [[copyLog().checkpointed]], done: true };
    case 'copy-log':
      copyWholeLog();
      return { columns: [], rows: [], done: true };
    case 'scrub':
      scrub();
      return { columns: [], rows: [], done: true };
    default:
      return nextBatch(request.id);
  }
}

function copyLog(): LogState {
  const [copied] = (checkpointer ??= openCheckpointer(file)).all('PRAGMA wal_checkpoint(PASSIVE)');
  return copied as unknown as LogState;
}

function copyWholeLog(): void {
  const { log, checkpointed } = copyLog();
  if (log !== checkpointed) throw new Error('not all of the log could be copied into the database');
}

function query(op: 'all' | 'get', sql: string, params: readonly SqlValue[]): ThreadRows {
  shared ??= openReader(file, ring);
  const { columns, rows } = shared.cursor(sql, params);
  const found = take(rows, op === 'get' ? 1 : Infinity);
  rows.return?.();
  return { columns, rows: found.rows, done: true };
}

function open(request: ThreadRequest & { op: 'open' }): void {
  const connection = openReader(file, ring);
  try {
    const { columns, rows } = connection.cursor(request.sql, request.params);
    streams.set(request.id, { connection, columns, rows, batch: request.batch });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The log is truncated, too, as far as no reader needs it, because it holds old pages. */
function scrub(): void {
  const compactor = openCompactor(file);
  try {
    compactor.run('VACUUM');
    const [log] = compactor.all('PRAGMA wal_checkpoint(TRUNCATE)');
    if (log?.['busy'] !== 0) throw new Error('somebody still reads what was in the log of the database before');
  } finally {
    compactor.close();
  }
}

function nextBatch(id: number): ThreadRows {
  const stream = streams.get(id);
  if (stream === undefined) throw new Error('the stream has ended');
  const { rows, done } = take(stream.rows, stream.batch);
  if (done) stop(id);
  return { columns: stream.columns, rows, done };
}

function take(cursor: Iterator<SqlValue[]>, limit: number): { rows: SqlValue[][]; done: boolean } {
  const rows: SqlValue[][] = [];
  while (rows.length < limit) {
    const next = cursor.next();
    if (next.done === true) return { rows, done: true };
    rows.push(next.value.map(exact));
  }
  return { rows, done: false };
}

/** Ends a stream and its snapshot; an id without a stream is ignored. */
function stop(id: number): void {
  const stream = streams.get(id);
  streams.delete(id);
  stream?.rows.return?.();
  stream?.connection.close();
}
