import type { LogEvent } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Queries } from '../../storage/index.ts';
import { CHUNK_EVENTS, decodeEvent, eventsOf, unpackChunk } from './chunk.ts';
import { type ChunkRow, PHASE, readAttempt, readChunks } from './rows.ts';

/** Most events of a page (contract, section 8). */
const PAGE = 100;

/** Consecutive events of an attempt. */
interface LogPage {
  readonly events: readonly LogEvent[];
  /** Offset after the last event of the attempt. */
  readonly end: number;
}

/**
 * At most 100 events of an attempt, from `offset` on; none past the end. With `enough`, stops earlier once the events
 * have that many bytes. Throws `logs_expired` if retention has removed them, `logs_unavailable` if a part is missing or
 * damaged.
 */
export async function readPage(queries: Queries, runId: string, attempt: number, offset: number,
  enough = Infinity): Promise<LogPage>
{
  const log = await readAttempt(queries, runId, attempt);
  if (log === undefined) return { events: [], end: 0 };
  if (log.phase !== PHASE.kept) throw expired(attempt);
  const end = Math.min(offset + PAGE, log.nextOffset);
  if (end <= offset) return { events: [], end: log.nextOffset };
  const chunks = await readChunks(queries, log, offset - CHUNK_EVENTS, end);
  try {
    return {
      events: assemble(chunks, offset, end, enough).map((text) => toLogEvent(text, runId, attempt)),
      end: log.nextOffset,
    };
  } catch (cause) {
    // Retention may have removed chunks between the two reads.
    if ((await readAttempt(queries, runId, attempt))?.phase !== PHASE.kept) throw expired(attempt);
    throw new ServiceError('logs_unavailable', 'a stored part of the log is missing or damaged', { cause });
  }
}

export function expired(attempt: number): ServiceError {
  return new ServiceError('logs_expired', `the logs of attempt ${attempt} have expired`);
}

/**
 * The encoded events from `offset` to `end`, or up to the chunk with which there are enough bytes; throws unless the
 * chunks contain every one.
 */
function assemble(chunks: readonly ChunkRow[], offset: number, end: number, enough: number): string[] {
  const events: string[] = [];
  let size = 0;
  for (const { first_offset: first, count, body } of chunks) {
    const from = offset + events.length;
    if (first + count <= from) continue;
    if (first > from) break;
    const text = unpackChunk(body);
    events.push(...eventsOf(text, count).slice(from - first, end - first));
    size += text.length;
    if (size >= enough) return events;
  }
  if (events.length !== end - offset) throw new Error(`event ${offset + events.length} is missing`);
  return events;
}

function toLogEvent(text: string, runId: string, attempt: number): LogEvent {
  const { unixMs, level, stream, step, message, stepState } = decodeEvent(text);
  return {
    time: new Date(unixMs).toISOString(),
    level,
    run_id: runId,
    attempt,
    message,
    stream,
    step,
    ...(stepState && { step_state: stepState }),
  };
}
