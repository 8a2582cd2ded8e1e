/** The entry point of the artefacts area: files that steps produce. */
export { Artifacts } from './artifacts.ts';
export type { ArtifactExchange, Received } from './port.ts';
export { readDescription } from './transfer.ts';
