import { boolean, byteSize, duration, integer, oneOf, setting } from '../kinds.ts';

export const log = {
  format: setting(oneOf(['text', 'json']), 'text', 'SVC_LOG_FORMAT',
    'form of the log: `text` for people, `json` for programs'),
  level: setting(oneOf(['debug', 'info', 'warn', 'error', 'silent'], { warning: 'warn' }), 'info', 'SVC_LOG_LEVEL',
    'least level that is logged: `debug`, `info`, `warn`, `error` or `silent`'),
  access: setting(boolean, false, 'SVC_ACCESS_LOG', 'log every request'),
};

export const metrics = {
  enabled: setting(boolean, true, 'SVC_METRICS', 'serve `/metrics`'),
  public: setting(boolean, true, 'SVC_METRICS_PUBLIC', 'serve `/metrics` without a credential'),
};

export const shutdown = {
  timeoutSec: setting(integer(0, 3600), 15, 'SVC_SHUTDOWN_TIMEOUT_SEC',
    'seconds that requests in flight may take when the server stops'),
};

export const convert = {
  workers: setting(integer(1, 64), 2, 'SVC_CONVERT_WORKERS',
    'files that are converted to markdown at once, each in a worker thread'),
  timeout: setting(duration(1000), 60_000, 'SVC_CONVERT_TIMEOUT', 'longest that the conversion of one file may take'),
  memory: setting(byteSize(64 * 2 ** 20), 512 * 2 ** 20, 'SVC_CONVERT_MEMORY',
    'memory that the conversion of one file may take, in bytes'),
};
