import type { Operations } from '../../../generated/runs/operations.ts';
import type { FoundLine } from '../../../generated/runs/sdk/types.gen.ts';
import { Pace } from '../../lib/pace.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Row, Sql } from '../../storage/index.ts';
import { decodeCursor, encodeCursor, pageSize } from '../pages/index.ts';
import type { ListFilter, Queue, RunRecord } from '../queue/port.ts';
import { decodeEvent, eventsOf, unpackChunk } from './chunk.ts';
import { type ChunkRow, PHASE } from './rows.ts';

/** Milliseconds that one request searches; then the client goes on by the cursor. */
const BUDGET_MS = 2000;
/** Runs of one query. */
const RUNS = 50;
/** Chunks of one query, of at most 256 KiB each. */
const CHUNKS = 32;
/** Characters of a line that are shown. */
const SHOWN = 2000;

export interface LogSearchOptions {
  readonly sql: Pick<Sql, 'background'>;
  readonly queue: Pick<Queue, 'get' | 'list'>;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Where the search goes on: with the line at `offset` of the attempt, or after it. */
interface Place {
  readonly attempt: number;
  readonly offset: number;
}

/**
 * The search for words in the logs of all runs. It reads the compressed chunks themselves: an index would cost each
 * line that is written, and most lines are never searched. A request reads for two seconds at most, in steps between
 * which others have their turn.
 */
export function createLogSearch(options: LogSearchOptions): Required<Pick<Handlers<Operations>, 'searchLogs'>> {
  return {
    async searchLogs({ q, project_id: projectId, state, since = 0, until, limit, before }, { signal }) {
      const search = new LogSearch(options, { words: wordsOf(q), size: pageSize(limit), signal });
      const next = await search.run({ projectId, state: state || undefined }, { since, until }, before);
      return { data: search.found, next_cursor: next ?? null, searched_until: search.searchedUntil };
    },
  };
}

/** A position in a run: its id, an attempt and an offset. */
const PLACE = /^[0-9a-f]{32}-[1-9]\d{0,8}-\d{1,15}$/;

/** An offset that no line has. */
const END = 999_999_999_999_999;

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

interface Wanted {
  /** In lower case. */
  readonly words: readonly string[];
  readonly size: number;
  readonly signal: AbortSignal | undefined;
}

interface Range {
  readonly since: number;
  readonly until: number | undefined;
}

class LogSearch {
  readonly found: FoundLine[] = [];
  searchedUntil: number | null = null;
  readonly #options: LogSearchOptions;
  readonly #wanted: Wanted;
  /** The words as chunks have them, which are JSON. */
  readonly #encoded: readonly string[];
  readonly #pace = new Pace();
  /** A request that has taken too long to find its place searches something, so that its client gets on. */
  #hasBegun = false;
  readonly #now: () => number;
  readonly #end: number;

  constructor(options: LogSearchOptions, wanted: Wanted) {
    this.#options = options;
    this.#wanted = wanted;
    this.#encoded = wanted.words.map((word) => JSON.stringify(word).slice(1, -1));
    this.#now = options.now ?? (() => performance.now());
    this.#end = this.#now() + BUDGET_MS;
  }

  /** Returns the cursor of the next page; undefined if all has been searched. */
  async run(filter: ListFilter, range: Range, before: string | undefined): Promise<string | undefined> {
    const { queue } = this.#options;
    let last = range.until === undefined ? undefined : { createdAt: range.until, id: '' };
    if (before !== undefined) {
      const { at: createdAt, id } = decodeCursor(before, PLACE);
      const [runId, attempt, offset] = id.split('-') as [string, string, string];
      last = { createdAt, id: runId };
      const run = await queue.get(runId);
      // The cursor comes from the client: it leads to no run that the filter would not have.
      if (run !== undefined && isWithin(run, filter, range)) {
        const stopped = await this.#searchRuns([run], { attempt: Number(attempt), offset: Number(offset) });
        if (stopped !== undefined) return stopped;
      }
    }
    for (;;) {
      const runs = await queue.list(filter, last, RUNS);
      const some = runs.filter(({ createdAt }) => createdAt >= range.since);
      const stopped = await this.#searchRuns(some);
      if (stopped !== undefined) return stopped;
      last = some.at(-1);
      if (some.length < RUNS || last === undefined) return undefined;
      if (this.#isOver) return encodeCursor({ at: last.createdAt, id: `${last.id}-1-${END}` });
      this.#hasBegun = true;
    }
  }

  async #searchRuns(runs: readonly RunRecord[], from?: Place): Promise<string | undefined> {
    const kept = await this.#keptLogs(runs);
    for (const run of runs) {
      this.searchedUntil = run.createdAt;
      for (const attempt of kept.get(run.id) ?? []) {
        if (from !== undefined && attempt > from.attempt) continue;
        const stopped = await this.#searchAttempt(run, attempt, attempt === from?.attempt ? from.offset : 0);
        if (stopped !== undefined)
          return encodeCursor({ at: run.createdAt, id: `${run.id}-${attempt}-${stopped}` });
      }
    }
    return undefined;
  }

  /** The attempts of runs whose logs are stored, the last one first. */
  async #keptLogs(runs: readonly RunRecord[]): Promise<Map<string, number[]>> {
    const kept = new Map<string, number[]>();
    if (runs.length === 0) return kept;
    const rows = await this.#options.sql.background.all<Row & { run_id: string; attempt: number }>(
      `SELECT run_id, attempt FROM log_attempts WHERE phase = ${PHASE.kept} AND run_id IN (${
        runs.map(() => '?').join(', ')
      }) ORDER BY run_id, attempt DESC`,
      runs.map(({ id }) => id),
    );
    for (const { run_id: id, attempt } of rows) kept.set(id, [...kept.get(id) ?? [], attempt]);
    return kept;
  }

  /** Returns the offset at which the search stops; undefined if it comes to the end of the attempt. */
  async #searchAttempt(run: RunRecord, attempt: number, offset: number): Promise<number | undefined> {
    // A chunk begins at most 99 events before the event that is wanted.
    for (let after = Math.max(0, offset - 99) - 1;;) {
      const chunks = await this.#options.sql.background.all<ChunkRow>(
        'SELECT first_offset, count, body FROM log_chunks WHERE run_id = ? AND attempt = ? AND first_offset > ? ORDER BY ' +
          'first_offset LIMIT ?',
        [run.id, attempt, after, CHUNKS],
      );
      for (const chunk of chunks) {
        if (this.#isOver) return Math.max(offset, chunk.first_offset);
        this.#hasBegun = true;
        const stopped = this.#searchChunk(run, attempt, chunk, offset);
        if (stopped !== undefined) return stopped;
        await this.#pace.rest();
      }
      if (chunks.length < CHUNKS) return undefined;
      after = chunks.at(-1)!.first_offset;
    }
  }

  get #isOver(): boolean {
    return this.#hasBegun && (this.#now() >= this.#end || this.#wanted.signal?.aborted === true);
  }

  /** Returns the offset after the last line of a full page. */
  #searchChunk(run: RunRecord, attempt: number, { first_offset: first, count, body }: ChunkRow, offset: number): number
    | undefined
  {
    const text = textOf(body);
    const lower = text.toLowerCase();
    if (!this.#encoded.every((word) => lower.includes(word))) return undefined;
    const events = eventsOfDamaged(text, count);
    for (const [at, event] of events.entries()) {
      if (first + at < offset) continue;
      const line = decodeEvent(event);
      const message = line.message.toLowerCase();
      if (!this.#wanted.words.every((word) => message.includes(word))) continue;
      if (this.found.length === this.#wanted.size) return first + at;
      this.found.push({
        run_id: run.id,
        project_id: run.projectId,
        task: run.task,
        state: run.state,
        attempt,
        offset: first + at,
        time: new Date(line.unixMs).toISOString(),
        level: line.level,
        stream: line.stream,
        step: line.step,
        message: around(line.message, message.indexOf(this.#wanted.words[0]!)),
      });
    }
    return undefined;
  }
}

function isWithin(run: RunRecord, { projectId, state }: ListFilter, { since, until }: Range): boolean {
  return (projectId === undefined || run.projectId === projectId) && (state === undefined || run.state === state) &&
    run.createdAt >= since && (until === undefined || run.createdAt < until);
}

/** A damaged chunk has no lines here; whoever reads its log learns that a part of it is missing. */
function textOf(body: Uint8Array): string {
  try {
    return unpackChunk(body);
  } catch {
    return '';
  }
}

function eventsOfDamaged(text: string, count: number): readonly string[] {
  try {
    return eventsOf(text, count);
  } catch {
    return [];
  }
}

/** A part of a long line that has the character at this position. */
function around(message: string, position: number): string {
  if (message.length <= SHOWN) return message;
  const start = Math.max(0, Math.min(position - SHOWN / 4, message.length - SHOWN));
  return message.slice(start, start + SHOWN).toWellFormed();
}
