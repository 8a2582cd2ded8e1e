/** The descriptions that clients get, made of the one by which the server works. */
export { mapSchemas } from './map-schemas.ts';
export { plainDescription } from './plain.ts';
export { publicDescription } from './public.ts';
