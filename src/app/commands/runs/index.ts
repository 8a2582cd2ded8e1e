import type { Command } from 'commander';
import { type Io, processIo } from '../shared/io.ts';
import { registerArtifacts, registerCaches } from './artifacts.ts';
import { registerAudit } from './audit.ts';
import { registerBackup, registerMigrateStore } from './backup.ts';
import { registerChange } from './change.ts';
import { registerDeliveries } from './deliveries.ts';
import { registerForges } from './forges.ts';
import { registerList, registerResult, registerShow } from './list.ts';
import { registerMcp } from './mcp.ts';
import { registerNotifications } from './notifications.ts';
import { registerProjects } from './projects.ts';
import { registerSchedules } from './schedules.ts';
import { serveCommand } from './serve.ts';
import { registerShips, registerToken } from './ships.ts';
import { registerLogs } from './show-log.ts';
import { registerSubmit } from './submit.ts';
import { registerTests } from './tests.ts';

/** `quire runs`: the service, and client commands for a running one. */
export function registerRuns(program: Command, io: Io = processIo): void {
  const runs = serveCommand(program);
  for (const register of [registerSubmit, registerList, registerShow, registerResult, registerLogs, registerTests,
    registerArtifacts, registerCaches, registerChange, registerProjects, registerSchedules, registerForges,
    registerNotifications, registerDeliveries, registerShips, registerToken, registerAudit, registerBackup,
    registerMigrateStore, registerMcp]) register(runs, io);
}
