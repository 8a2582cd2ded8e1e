/** The entry point of the contents area: bytes of files, by their hash, in a folder or in a bucket. */
export { type ContentStore, FolderContents } from './content-store.ts';
export { openContents } from './open-contents.ts';
export { piecesOf } from './pieces-of.ts';
export { type Place, RowContents } from './row-contents.ts';
export { type Announced, readAnnounced } from './write-content.ts';
