/** The door of the notifications. */
export { createNotifications, totalWaiting, type Notifications, type NotificationsDeps } from './notifications.ts';
