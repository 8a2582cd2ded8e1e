/** The entry point of the alerts area. */
export { createAlerts, type AlertResult, type AlertsDeps } from './alerts.ts';
export { projectOf } from './project-of.ts';
