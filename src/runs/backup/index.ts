export { backUp, type BackedUp } from './back-up.ts';
export { BackupError, placesOf, type Places } from './layout.ts';
export { restore, type Restored, type RestoreOptions, type Unfinished } from './restore.ts';
