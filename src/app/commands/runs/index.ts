import type { Command } from 'commander';
import { type Io, processIo } from '../shared/io.ts';
import { registerArtifacts } from './artifacts.ts';
import { registerAudit } from './audit.ts';
import { registerBackup } from './backup.ts';
import { registerCaches } from './caches.ts';
import { registerChange } from './change.ts';
import { registerList } from './list.ts';
import { registerLogs } from './logs.ts';
import { registerMigrateStore } from './migrate-store.ts';
import { registerNotifications } from './notifications.ts';
import { registerProjects } from './projects.ts';
import { registerSchedules } from './schedules.ts';
import { serveCommand } from './serve.ts';
import { registerShips } from './ships.ts';
import { registerResult, registerShow } from './show.ts';
import { registerSubmit } from './submit.ts';
import { registerToken } from './token.ts';

/** `quire runs`: the service, and client commands for a running one. */
export function registerRuns(program: Command, io: Io = processIo): void {
  const runs = serveCommand(program);
  for (const register of [registerSubmit, registerList, registerShow, registerResult, registerLogs, registerArtifacts,
    registerCaches, registerChange, registerProjects, registerSchedules, registerNotifications, registerShips,
    registerToken, registerAudit, registerBackup, registerMigrateStore]) register(runs, io);
}
