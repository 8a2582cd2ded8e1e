export type { LeaderLink } from './messages.ts';
export { followTables } from './follow-tables.ts';
export { Replication, type NodeService, type ReplicationSettings } from './replication.ts';
export { beginHistory, type ReplicationState } from './state.ts';
