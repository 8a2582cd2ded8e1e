/** The entry point of the artefacts area: files that steps produce. */
export { createArtifacts, type Artifacts, type ArtifactsOptions } from './artifacts.ts';
