/** The descriptions for clients, derived from the one that the server uses. */
export { mapSchemas } from './map-schemas.ts';
export { plainDescription } from './plain.ts';
export { publicDescription } from './public.ts';
