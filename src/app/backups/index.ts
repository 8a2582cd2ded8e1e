export type { BackupReport, BackupSchedule } from './backup-schedule.ts';
export { createDocsBackups } from './docs-backups.ts';
export { createRunsBackups } from './runs-backups.ts';
