/** The door of the artifacts area: files that steps leave. */
export { createArtifacts, type Artifacts, type ArtifactsOptions } from './artifacts.ts';
export { ContentStore } from './content-store.ts';
