export { createRunLogs, type RunLogsService } from './create-run-logs.ts';
export { diskRoomOf } from './disk-room.ts';
export { createLogSearch } from './search.ts';
