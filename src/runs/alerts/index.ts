/** The door of the alerts area. */
export { createAlerts, type AlertResult, type AlertsDeps } from './alerts.ts';
