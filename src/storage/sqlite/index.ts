export { NodeSqlite } from './driver.ts';
export { SqliteFollower } from './follower.ts';
export type { Faults } from './writer-engine.ts';
