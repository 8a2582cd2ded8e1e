import { boolean, byteSize, duration, integer, listOf, type Lookup, network, oneOf, setting, text,
  webOrigins } from '../kinds.ts';

export const production = {
  enabled: setting(boolean, false, 'SVC_PRODUCTION', 'refuse to start unless the hardening controls are on', {
    yaml: ['production'],
  }),
};

export const tls = {
  enabled: setting(boolean, false, 'SVC_TLS_ENABLED', 'serve HTTP, gRPC and MCP over TLS'),
  cert: setting(text, '', 'SVC_TLS_CERT', 'certificate file (PEM)'),
  key: setting(text, '', 'SVC_TLS_KEY', 'key file (PEM)'),
  clientCa: setting(text, '', 'SVC_TLS_CLIENT_CA', 'certificate authority of clients (PEM); switches mutual TLS on'),
  clientAuth: setting(oneOf(['require', 'request']), 'require', 'SVC_TLS_CLIENT_AUTH',
    'whether clients must show a certificate'),
  insecureOk: setting(boolean, false, 'SVC_TLS_INSECURE_OK', 'declares that TLS ends in front of this server'),
};

export const cors = {
  origins: setting(webOrigins, { listed: [], others: 'read' }, 'SVC_CORS_ORIGINS',
    'web origins that may call the API, separated by commas; their hosts count as names of this server', {
    fallbackText: '`*`, which without authentication is for reading only until it is set',
  }),
};

/** The limit that HTTP and gRPC share (decisions, section 5.4). */
export const rateLimit = {
  enabled: setting(boolean, false, 'SVC_RATE_LIMIT_ENABLED', 'limit the rate of requests'),
  requests: setting(integer(1), 100, 'SVC_RATE_LIMIT_REQUESTS', 'requests in each window'),
  window: setting(duration(1), 60_000, 'SVC_RATE_LIMIT_WINDOW', 'window of the limit'),
  burst: setting(integer(0), 50, 'SVC_RATE_LIMIT_BURST', 'requests above the limit'),
  by: setting(oneOf(['ip', 'user']), 'ip', 'SVC_RATE_LIMIT_BY', 'what the limit counts by'),
};

/** Requests that the server itself makes: webhooks, callbacks, imports. */
export const outbound = {
  allowPrivate: setting(oneOf(['false', 'loopback', 'true']),
    (lookup: Lookup) => (lookup<boolean>('production.enabled') ? 'false' : 'loopback'), 'SVC_OUTBOUND_ALLOW_PRIVATE',
    'private addresses that the server may call: `false`, `loopback` or `true`', {
    fallbackText: '`loopback`; `false` in production',
  }),
  allowlist: setting(listOf(text), [], 'SVC_OUTBOUND_ALLOWLIST',
    'hosts or networks that the server may call in any case, separated by commas'),
};

export const input = {
  strict: setting(boolean, true, 'SVC_STRICT_INPUT',
    'refuse fields and query parameters that an operation does not have; `false` passes them over and lists them ' +
      'in `warnings`'),
};

export const limits = {
  maxBodyBytes: setting(byteSize(1024, 2 ** 31 - 1), 33_554_432, 'SVC_MAX_BODY_BYTES',
    'largest request body, in bytes'),
  maxAnswerBytes: setting(byteSize(1024, 2 ** 29), 16_777_216, 'SVC_MAX_ANSWER_BYTES',
    'text in one response over HTTP, gRPC and GraphQL, in bytes; longer lists end early and say where to go on'),
  bodyTimeout: setting(duration(1000), 60_000, 'SVC_BODY_TIMEOUT',
    'longest that a JSON body, or a message of gRPC, may take to arrive; a body that arrives at 64 KiB a second ' +
      'may take longer, and files and imports are limited by their rate'),
  slowBodies: setting(integer(0), 32, 'SVC_SLOW_BODIES',
    'bodies of one address that may arrive slowly at once, for longer than two seconds; beyond it the slowest are ' +
      'refused with 429; 0 for no limit'),
  trustedProxies: setting(listOf(network), [], 'SVC_TRUSTED_PROXIES',
    'proxies whose X-Forwarded-For is believed, separated by commas'),
};
