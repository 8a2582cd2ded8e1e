export { findFiles } from './find-files.ts';
export { HashedFile, onDisk } from './hashed-file.ts';
export { bytesOf, openInside, sha256Of } from './open-inside.ts';
