/** The entry point of the notifications. */
export { createNotifications, totalWaiting, type Notifications, type NotificationsDeps } from './notifications.ts';
