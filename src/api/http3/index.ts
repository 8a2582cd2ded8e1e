export { type Http3Library, LIBRARY, loadLibrary } from './library.ts';
export { QuicListener } from './listener.ts';
