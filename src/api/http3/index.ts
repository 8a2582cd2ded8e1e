export { Http3Door } from './door.ts';
export { LIBRARY, loadLibrary, type Http3Library } from './library.ts';
