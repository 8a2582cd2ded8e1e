export { fetchSource, type Fetched } from './fetch-source.ts';
export type { ResolvedRef } from './remote-refs.ts';
