/** The entry point of the alerts area. */
export { type AlertResult, createAlerts, projectOf } from './alerts.ts';
