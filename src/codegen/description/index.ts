/** The descriptions that clients get, made of the one by which the server works. */
export { plainDescription } from './plain.ts';
export { publicDescription } from './public.ts';
