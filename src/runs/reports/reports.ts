import type { UploadArtifactRequest } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import type { Received } from '../artifacts/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import { type ParsedReport, parseReport, UnreadableReport } from './formats/index.ts';
import { createReportHandlers, type ReportHandlers } from './handlers.ts';
import { originOf } from './identity.ts';
import { type AnnouncedReport, readReport, readReportDescription } from './receive.ts';
import { addReport, findReport, removeExpired, type ReportRow, reportsOfAttempt } from './report-rows.ts';
import { storeResults } from './store-results.ts';

/** Time between two searches for results that are no longer kept. */
const SWEEP_MS = 60_000;

/** Bytes of a report, whatever the configuration says: it is in memory while it is read. */
const MAX_BYTES = 16 * 2 ** 20;
/** Reports that are in memory at once; others wait, and their ships with them. */
const MAX_AT_ONCE = 4;

/** Results of one transaction, so that none keeps others waiting. */
const BATCH = 100;

interface ReportsOptions {
  readonly env: RunsEnvironment;
  readonly queue: Pick<Queue, 'get' | 'holds'>;
}

/** Test reports: received from ships, read, listed, and removed when they expire. */
export class Reports {
  readonly handlers: ReportHandlers;
  readonly #options: ReportsOptions;
  readonly #sweeping: Loop;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(options: ReportsOptions) {
    this.#options = options;
    const { env, queue } = options;
    this.#sweeping = new Loop({
      name: 'test reports',
      everyMs: SWEEP_MS,
      timer: env.timer,
      log: env.log,
      failure: 'expired test results could not be removed',
    }, (signal) => this.#expire(signal));
    this.handlers = createReportHandlers({ env, queue });
  }

  start(): void {
    this.#sweeping.start();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  /**
   * Reads a report and stores its results. A report that came before is stored once; one that was interrupted goes on.
   * `over_limit` also for a report that cannot be read. Rejects like `ArtifactExchange.receive`.
   */
  async receive(shipId: string, parts: AsyncIterable<UploadArtifactRequest>): Promise<Received> {
    const iterator = parts[Symbol.asyncIterator]();
    const first = await iterator.next();
    const announced = readReportDescription(first.value as UploadArtifactRequest);
    if (!await this.#holds(shipId, announced)) return { status: 'fenced' };
    const limit = await this.#limitOf(announced);
    if (limit !== undefined) return { status: 'over_limit', message: limit };
    await this.#turn();
    try {
      const bytes = await readReport(iterator, announced.file);
      const { max_results: most } = this.#settings;
      return await this.#store(shipId, announced, await parseReport(announced.format, bytes, most));
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      return { status: 'over_limit', message: `it ${error.message}` };
    } finally {
      this.#reading -= 1;
      this.#waiting.shift()?.();
    }
  }

  get #settings() {
    return this.#options.env.config.current().config.reports;
  }

  async #turn(): Promise<void> {
    while (this.#reading >= MAX_AT_ONCE) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    this.#reading += 1;
  }

  #holds(shipId: string, { file }: AnnouncedReport): Promise<boolean> {
    const { env: { sql }, queue } = this.#options;
    return sql.transaction((tx) => queue.holds(tx, file.ref, shipId));
  }

  /** Why the report is not read; undefined if it is. */
  async #limitOf({ file }: AnnouncedReport): Promise<string | undefined> {
    const { max_size: size, max_count: count } = this.#settings;
    const most = Math.min(size, MAX_BYTES);
    if (file.size > most)
      return `it has ${formatByteSize(file.size)}, at most ${formatByteSize(most)} are read (reports.max_size)`;
    const stored = await reportsOfAttempt(this.#options.env.sql, file.ref.runId, file.ref.attempt);
    return stored.length < count || stored.some(({ name }) => name === file.name)
      ? undefined
      : `the attempt has ${count} reports already (reports.max_count)`;
  }

  async #store(shipId: string, announced: AnnouncedReport, { results, left }: ParsedReport): Promise<Received> {
    const { env: { sql, clock }, queue } = this.#options;
    const { ref } = announced.file;
    const run = await queue.get(ref.runId);
    if (run === undefined) return { status: 'fenced' };
    for (;;) {
      const done = await sql.transaction(async (tx) => {
        if (!await queue.holds(tx, ref, shipId)) return 'fenced';
        const now = unixSeconds(clock);
        const report = await this.#reportOf(tx, run, announced, results.length, now);
        const some = results.slice(report.stored, report.stored + BATCH);
        if (some.length === 0) return 'kept';
        const origin = originOf(run, announced.file.step);
        await storeResults(tx, { report, run, origin, attempt: ref.attempt, results: some, now });
        return report.stored + some.length === results.length ? 'kept' : undefined;
      }, { isolation: 'read committed' });
      if (done === undefined) continue;
      if (done === 'fenced' || left === 0) return { status: done };
      return { status: 'over_limit', message: `${left} of its results are left out (reports.max_results)` };
    }
  }

  async #reportOf(tx: Parameters<typeof addReport>[0], run: RunRecord, { file, format }: AnnouncedReport,
    results: number, createdAt: number): Promise<ReportRow>
  {
    const named = { ...file, format };
    return await findReport(tx, file.ref, named) ??
      addReport(tx, run, originOf(run, file.step), named, { attempt: file.ref.attempt, results, createdAt });
  }

  async #expire(signal: AbortSignal): Promise<void> {
    const { env: { sql, clock } } = this.#options;
    const until = unixSeconds(clock) - Math.ceil(this.#settings.retention / 1000);
    while (!signal.aborted && await sql.transaction((tx) => removeExpired(tx, until)));
  }
}
