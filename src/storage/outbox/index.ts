/** Deliveries that wait in a database for their endpoints: the tables `delivery_lanes` and `delivery_outbox`, which both services have. */
export { logOf, outboxLane, readLane, removeLanes, saveLanes, type LaneState } from './lane-rows.ts';
export { enqueue, lockOutbox, outboxesInUse, readOutbox, rereadOutbox, type OutboxRow } from './outbox.ts';
