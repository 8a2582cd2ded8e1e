export { backUp, type BackedUp } from './back-up.ts';
export { BackupError, placesOf, type Places } from './layout.ts';
export { restore, type Restored, type RestoreOptions } from './restore.ts';
export type { Unfinished } from '../queue/index.ts';
