/** The door of the webhooks area. */
export { createWebhooks, type Webhooks } from './webhooks.ts';
export { enqueue } from './lane-rows.ts';
