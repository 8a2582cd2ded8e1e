/** The entry point of the geo area. */
export { type GeoView } from './geo-view.ts';
export { createGeo, type Geo } from './geo.ts';
