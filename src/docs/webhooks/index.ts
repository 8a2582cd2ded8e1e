/** The door of the webhooks area. */
export { createWebhooks, type Webhooks } from './webhooks.ts';
export { enqueue, outboxesInUse, outboxLane, readLane, readOutbox, removeLanes, rereadOutbox, saveLanes } from './lane-rows.ts';
