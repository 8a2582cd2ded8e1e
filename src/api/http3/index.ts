export { type Http3Library, LIBRARY, loadLibrary, QuicListener } from './listener.ts';
