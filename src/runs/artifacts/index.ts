/** The entry point of the artefacts area: files that steps produce. */
export { Artifacts } from './artifacts.ts';
