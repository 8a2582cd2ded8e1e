export { findFiles } from './find-files.ts';
export { bytesOf, openInside, sha256Of } from './open-inside.ts';
