import { Counter, Gauge, type Registry } from 'prom-client';
import type { BackupStats } from '../../../generated/docs/sdk/types.gen.ts';
import type { Clock } from '../../lib/clock.ts';

/** The state of scheduled backups, with the attempts since the start by outcome. */
export interface BackupReport extends BackupStats {
  readonly counts: { readonly ok: number; readonly failed: number };
}

/** The metrics of scheduled backups. Before the first successful backup, its gauges have no sample. */
export function registerBackups(registers: Registry[], report: () => BackupReport, clock: Clock): void {
  const gauge = (name: string, help: string, value: (report: BackupReport) => number | undefined): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const known = value(report());
        if (known === undefined) this.remove();
        else this.set(known);
      },
    });
  };
  gauge('svc_backup_age_seconds', 'Age of the last scheduled backup that was verified.',
    ({ lastGoodAt }) => (lastGoodAt === undefined ? undefined : clock.now() / 1000 - lastGoodAt));
  gauge('svc_backup_duration_seconds', 'Time that it took, its copy included.',
    ({ lastDurationSeconds }) => lastDurationSeconds);
  gauge('svc_backup_size_bytes', 'Its size.', ({ lastSizeBytes }) => lastSizeBytes);
  new Counter({
    name: 'svc_backups_total',
    help: 'Scheduled backups by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(report().counts)) this.inc({ outcome }, count);
    },
  });
}

export function statsOf({ counts: _, ...stats }: BackupReport): BackupStats {
  return stats;
}
