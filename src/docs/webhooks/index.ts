/** The entry point of the webhooks area. */
export { removeLanes, saveLanes } from './lanes.ts';
export { createWebhooks, type Webhooks } from './webhooks.ts';
