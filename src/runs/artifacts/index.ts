/** The entry point of the artefacts area: files that steps produce. */
export { type Artifacts, createArtifacts } from './artifacts.ts';
