/** The worker thread that reads the symbols of large or difficult sources, one after the other. */
import { parentPort } from 'node:worker_threads';
import { extractSymbols } from '../symbols/index.ts';
import type { SymbolRequest } from './symbol-reader.ts';

parentPort!.on('message', ({ language, source, ...context }: SymbolRequest) => {
  parentPort!.postMessage(extractSymbols(language, source, context));
});
