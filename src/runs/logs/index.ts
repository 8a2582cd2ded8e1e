export { createRunLogs, type RunLogsOptions, type RunLogsService } from './create-run-logs.ts';
export { diskRoomOf } from './disk-room.ts';
export type { AppendAnswer, RunLogs, ShipLine } from './port.ts';
