/** The entry point of the geo area. */
export { createGeo, type Geo } from './geo.ts';
export { createGeoView, type GeoView } from './geo-view.ts';
