/** The entry point of the alerts area. */
export { type AlertResult, type AlertsDeps, createAlerts } from './alerts.ts';
export { projectOf } from './project-of.ts';
