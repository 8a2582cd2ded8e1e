export { type Fetched, fetchSource } from './fetch-source.ts';
export type { ResolvedRef } from './remote-refs.ts';
