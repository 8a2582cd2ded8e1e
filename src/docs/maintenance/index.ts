export type { FeedLimits } from './feed-retention.ts';
export { createMaintenance, type Maintenance } from './maintenance.ts';
