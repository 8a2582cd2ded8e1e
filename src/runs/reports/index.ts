/** The entry point of the area of test reports. */
export { placesOf } from './places.ts';
export { routeUploads } from './receive.ts';
export { Reports } from './reports.ts';
