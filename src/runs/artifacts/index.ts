/** The entry point of the artefacts area: files that steps produce. */
export { type Artifacts, type ArtifactsOptions, createArtifacts } from './artifacts.ts';
