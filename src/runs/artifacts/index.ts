/** The door of the artifacts area: files that steps leave. */
export { createArtifacts, type Artifacts, type ArtifactsOptions } from './artifacts.ts';
export { FolderContents, type ContentStore } from './content-store.ts';
export { openContents } from './open-contents.ts';
