/** The door of the schedules. */
export { createSchedules, type Schedules, type SchedulesOptions } from './schedules.ts';
