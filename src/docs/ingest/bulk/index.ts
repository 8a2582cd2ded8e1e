import { Gauge, type Registry } from 'prom-client';
import { systemTimer, type Timer } from '../../../lib/clock.ts';
import type { Outbound } from '../../../net/index.ts';
import type { Access } from '../../access/index.ts';
import type { DocumentWriter } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { createCallbacks } from './callbacks.ts';
import { type BulkHandlers, bulkHandlers } from './handlers.ts';
import { createWorker } from './worker.ts';

/** Loads documents in the background, in jobs that survive a restart. */
export interface BulkJobs {
  readonly handlers: BulkHandlers;
  registerMetrics(registers: Registry[]): void;
  /** Continues the existing jobs; harmless when repeated. Not for read-only servers. */
  start(): void;
  /** Call this after the database was replaced by another. */
  wake(): void;
  /** Waits for the running transaction; unfinished jobs continue after the next start. */
  stop(): Promise<void>;
  /** Resolves when no job is left and no callback is due. */
  settled(): Promise<void>;
}

interface BulkAreas {
  readonly writer: DocumentWriter;
  readonly outbound: Pick<Outbound, 'sender' | 'refusal'>;
  readonly timer?: Timer | undefined;
  readonly access?: Pick<Access, 'standingOf'> | undefined;
}

const STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;

export function createBulkJobs(environment: DocsEnvironment,
  { writer, outbound, timer = systemTimer, access }: BulkAreas): BulkJobs
{
  const { sql, codec, clock, log, keys, settings } = environment;
  const callbacks = createCallbacks({
    sql,
    clock,
    log,
    keys,
    outbound,
    timer,
    version: settings.buildVersion,
    secret: settings.webhookSecret ?? '',
  });
  const onEnd = (): void => callbacks.wake();
  const worker = createWorker({ sql, codec, clock, log, keys, writer, timer, access, onEnd });
  return {
    handlers: bulkHandlers({ sql, codec, clock, keys, outbound, onSubmit: () => worker.wake(), onEnd }),
    registerMetrics(registers) {
      new Gauge({
        name: 'svc_bulk_jobs',
        help: 'Bulk ingest jobs on record.',
        labelNames: ['status'],
        registers,
        async collect() {
          // A failing database must not make the metrics that report on it unavailable.
          const rows = await sql.all<{ status: string; n: number }>(
            'SELECT status, count(*) AS n FROM bulk_jobs GROUP BY status',
          ).catch(() => undefined);
          if (rows === undefined) return this.reset();
          for (const status of STATUSES) this.set({ status }, rows.find((row) => row.status === status)?.n ?? 0);
        },
      });
    },
    start() {
      worker.start();
      callbacks.start();
    },
    wake() {
      worker.wake();
      callbacks.wake();
    },
    async stop() {
      await worker.stop();
      await callbacks.stop();
    },
    async settled() {
      await worker.settled();
      await callbacks.settled();
    },
  };
}
