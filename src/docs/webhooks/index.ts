/** The entry point of the webhooks area. */
export { removeLanes, saveLanes } from './lane-rows.ts';
export { createWebhooks, type Webhooks } from './webhooks.ts';
