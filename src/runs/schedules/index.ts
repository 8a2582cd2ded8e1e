/** The entry point of the schedules. */
export { createScheduleHandlers } from './handlers.ts';
export { createSchedules, type Schedules, type SlotResult } from './schedules.ts';
