import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../../lib/log.ts';

export interface LogOptions {
  /** `text` for people, `json` for programs: one object on each line (`SVC_LOG_FORMAT`). */
  readonly format: 'text' | 'json';
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /**
   * Where lines are written; standard error if standard output is used for a protocol (MCP over stdio). Default:
   * standard output.
   */
  readonly to?: 'stdout' | 'stderr' | NodeJS.WritableStream;
}

/**
 * The log of a program. Lines are written synchronously, in this thread, so that the last lines before
 * an exit are not lost. Credentials and query strings are never written.
 */
export function createLog(options: LogOptions): Log {
  const logger = pino({
    level: options.level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: {
      level: (label) => ({ level: label }),
      log: redact,
    },
    serializers: { err: describeError, error: describeError },
  }, destination(options));
  return adapt(logger);
}

// The fields of a child logger do not pass through pino's formatters.
function adapt(logger: Logger): Log {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields) => adapt(logger.child(redact(fields))),
  };
}

function destination({ format, to = 'stdout' }: LogOptions): DestinationStream {
  if (format === 'json') return typeof to === 'string' ? pino.destination({ fd: descriptor(to), sync: true }) : to;
  return pretty({
    destination: typeof to === 'string' ? descriptor(to) : to,
    sync: true,
    colorize: typeof to === 'string' && process[to].isTTY && !process.env['NO_COLOR'],
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  });
}

const descriptor = (stream: 'stdout' | 'stderr'): number => (stream === 'stdout' ? 1 : 2);

const MAX_CAUSES = 5;

/**
 * The parts of an error that may be written: its own fields could contain a request with its headers, so only known
 * ones are copied.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? redact(error) : error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: error.message,
    code,
    stack: error.stack,
    cause: error.cause === undefined || depth >= MAX_CAUSES ? undefined : describeError(error.cause, depth + 1),
  };
}

/** Names of fields that hold credentials, compared in lower case without `-` and `_`. */
const CREDENTIALS = new Set(['authorization', 'proxyauthorization', 'xapikey', 'cookie', 'setcookie', 'apikey',
  'apikeys', 'secretkey', 'accesskey', 'secret', 'jwtsecret', 'password', 'adminpassword', 'token', 'accesstoken',
  'refreshtoken', 'bearer', 'privatekey', 'xsvcreplicationsecret']);
const LOCATIONS = new Set(['url', 'uri', 'href', 'path', 'originalurl']);

const HIDDEN = '[hidden]';
const MAX_DEPTH = 8;

/**
 * A copy of log fields that can be written safely: credentials are hidden by their field's name, at every depth, and
 * URLs lose their query string, which may contain some. Errors and other class instances are left to
 * the serialisers.
 */
function redact<T extends object>(fields: T): T {
  return redactValue(fields, 0) as T;
}

function redactValue(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return depth < MAX_DEPTH ? value.map((item) => redactValue(item, depth + 1)) : '[…]';
  if (!isPlain(value)) return value;
  if (depth >= MAX_DEPTH) return '{…}';
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redactField(name, inner, depth)]));
}

function redactField(name: string, value: unknown, depth: number): unknown {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  if (CREDENTIALS.has(plain) && value !== undefined && value !== null && value !== '') return HIDDEN;
  if (LOCATIONS.has(plain) && typeof value === 'string') return value.split(/[?#]/, 1)[0];
  return redactValue(value, depth + 1);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
