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
export function redact<T extends object>(fields: T): T {
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
