export type { Unfinished } from '../queue/index.ts';
export { type BackedUp, backUp } from './back-up.ts';
export { BackupError, type Places, placesOf } from './layout.ts';
export { restore, type Restored, type RestoreOptions } from './restore.ts';
