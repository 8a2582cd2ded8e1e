export { SqliteFollower } from './follower.ts';
export { NodeSqlite } from './driver.ts';
export type { Faults } from './writer-engine.ts';
