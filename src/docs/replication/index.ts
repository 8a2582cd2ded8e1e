export { isSameSecret } from './admit.ts';
export { Replication, type ReplicationSettings } from './replication.ts';
export { beginHistory, type ReplicationState } from './state.ts';
