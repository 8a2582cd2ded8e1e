/**
 * Deliveries that wait in a database for their endpoints: the tables `delivery_lanes` and `delivery_outbox`, which both
 * services have.
 */
export { type LaneState, logOf, outboxLane, readLane, removeLanes, saveLanes } from './lane-rows.ts';
export { enqueue, lockOutbox, outboxesInUse, type OutboxRow, readOutbox, rereadOutbox } from './outbox.ts';
