export { consolePages } from './console.ts';
export { createHttpApp, type HttpAppOptions } from './app.ts';
export type { JudgeWebRequest } from './cross-origin.ts';
export { flatErrors, nestedErrors, type ErrorFormat } from './errors.ts';
export type { Exchange } from './frame.ts';
export { listenOn } from './listen-on.ts';
export { createRoutes } from './routes.ts';
export { startHttpServer, usualLimits, type SocketSource, type HttpServer, type ServerLimits } from './server.ts';
