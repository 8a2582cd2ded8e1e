/** The entry point of the contents area: bytes of files, by their hash, in a folder or in a bucket. */
export { FolderContents, type ContentStore } from './content-store.ts';
export { openContents } from './open-contents.ts';
export { piecesOf } from './pieces-of.ts';
export { RowContents, type Place } from './row-contents.ts';
export { readAnnounced, type Announced } from './write-content.ts';
