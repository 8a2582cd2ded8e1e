import { Counter, Gauge, type Registry } from 'prom-client';
import type { TransferCounts } from './transfer.ts';

export interface CopyCounts {
  readonly counts: TransferCounts;
  readonly failures: () => Readonly<Record<'upload' | 'download' | 'collect', number>>;
  /** Objects that were removed because nothing names them. */
  readonly removed: () => number;
  /** Indexes whose copies this process has to change. */
  readonly waiting: () => number;
}

export function registerMetrics(registers: Registry[], { counts, failures, removed, waiting }: CopyCounts): void {
  new Counter({
    name: 'svc_checkpoint_bytes_total',
    help: 'Bytes of checkpoints that were copied to SVC_CHECKPOINTS (up) or from there (down).',
    labelNames: ['direction'],
    registers,
    collect() {
      this.reset();
      this.inc({ direction: 'up' }, counts.bytesUp);
      this.inc({ direction: 'down' }, counts.bytesDown);
    },
  });
  new Counter({
    name: 'svc_checkpoint_segments_total',
    help: 'Segments of checkpoints that were copied to SVC_CHECKPOINTS, by whether they were sent or there already.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'sent' }, counts.sent);
      this.inc({ result: 'reused' }, counts.reused);
    },
  });
  new Counter({
    name: 'svc_checkpoint_failures_total',
    help: 'Rounds of uploads, fetches of one checkpoint, and removals of unused segments that failed.',
    labelNames: ['operation'],
    registers,
    collect() {
      this.reset();
      for (const [operation, count] of Object.entries(failures())) this.inc({ operation }, count);
    },
  });
  new Counter({
    name: 'svc_checkpoint_objects_removed_total',
    help: 'Objects of checkpoints removed because nothing names them.',
    registers,
    collect() {
      this.reset();
      this.inc(removed());
    },
  });
  new Gauge({
    name: 'svc_checkpoint_uploads_waiting',
    help: 'Indexes whose copy in SVC_CHECKPOINTS this process has to change.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
}
