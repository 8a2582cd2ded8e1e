export type { LeaderLink } from './messages.ts';
export { type NodeService, Replication, type ReplicationSettings } from './replication.ts';
export { beginHistory, type ReplicationState } from './state.ts';
