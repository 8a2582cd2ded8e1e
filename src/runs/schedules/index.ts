/** The entry point of the schedules. */
export { createScheduleHandlers, type ScheduleHandlerDeps } from './handlers.ts';
export { createSchedules, type Schedules, type SchedulesOptions, type SlotResult } from './schedules.ts';
