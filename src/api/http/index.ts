export { createHttpApp, type HttpAppOptions } from './app.ts';
export { flatErrors, nestedErrors, type ErrorFormat } from './errors.ts';
export type { Exchange } from './frame.ts';
export { startHttpServer, type HttpServer } from './server.ts';
