/** A structured log in the style of pino: fields first, then a fixed message that can be searched for. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log that adds these fields to everything it writes. */
  child(fields: Record<string, unknown>): Log;
}

const nothing = (): void => undefined;

/** Writes nothing; for tests and for callers that need no log. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silentLog };
