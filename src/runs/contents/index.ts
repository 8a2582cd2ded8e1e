/** The entry point of the contents area: bytes of files, by their hash, in a folder or in a bucket. */
export { type ContentStore, FolderContents, openContents } from './content-store.ts';
export { type Place, RowContents } from './row-contents.ts';
export { type Announced, piecesOf, readAnnounced } from './transfer.ts';
