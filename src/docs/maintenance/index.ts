export type { FeedLimits } from './feed-retention.ts';
export { createMaintenance, type Maintenance, type MaintenanceDependencies } from './maintenance.ts';
