export { Replication, type ReplicationSettings } from './replication.ts';
export { beginHistory, type ReplicationState } from './state.ts';
