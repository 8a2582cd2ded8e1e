export { createHttpApp, type HttpAppOptions } from './app.ts';
export { consolePages } from './console.ts';
export type { JudgeWebRequest } from './cross-origin.ts';
export { type ErrorFormat, flatErrors, nestedErrors } from './errors.ts';
export type { Exchange } from './frame.ts';
export { createRoutes } from './routes.ts';
export { type HttpServer, listenOn, type ServerLimits, type SocketSource, startHttpServer,
  usualLimits } from './server.ts';
