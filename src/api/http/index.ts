export { createFramedApp, createHttpApp, type HttpAppOptions } from './app.ts';
export { isJsonType, readJson } from './body.ts';
export { allowOrigin, type JudgeWebRequest } from './cross-origin.ts';
export { type ErrorFormat, flatErrors, nestedErrors } from './errors.ts';
export type { Exchange } from './frame.ts';
export { consolePages, requireReading } from './pages.ts';
export { callerOf, goneSignal, type HttpContext, notAllowed, type RequestState } from './request.ts';
export { sendResponse } from './respond.ts';
export { createRoutes } from './routes.ts';
export { type HttpServer, listenOn, type ServerLimits, type SocketSource, startHttpServer,
  usualLimits } from './server.ts';
