/** The entry point of the webhooks area. */
export { createWebhooks, type Webhooks } from './webhooks.ts';
export { removeLanes, saveLanes } from './lane-rows.ts';
