/** The entry point of the notifications. */
export { createNotifications, type Notifications, type NotificationsDeps, totalWaiting } from './notifications.ts';
