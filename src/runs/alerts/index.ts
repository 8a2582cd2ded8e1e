/** The entry point of the alerts area. */
export { type AlertResult, type AlertsDeps, createAlerts, projectOf } from './alerts.ts';
