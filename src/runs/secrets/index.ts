/** The entry point of the secrets area: values of secrets, from where the configuration says. */
export { eventOf, type RunEvent } from './events.ts';
export { Secrets } from './secrets.ts';
