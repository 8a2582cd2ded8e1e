/** The entry point of the notifications. */
export { createNotifications, type Notifications, totalWaiting } from './notifications.ts';
