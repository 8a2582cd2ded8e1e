export { QuicListener } from './listener.ts';
export { LIBRARY, loadLibrary, type Http3Library } from './library.ts';
