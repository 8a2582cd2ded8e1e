import { parseAddress } from './address.ts';

/**
 * A configuration with which a program refuses to start. `problems` holds one line for each error; all errors are
 * reported together, so that they can be corrected in one go.
 */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const GROUP = 'group:';

/**
 * The value of a claim and what it stands for, from `VALUE=ROLE` or `VALUE=group:NAME`; undefined for what is neither.
 * The last `=` counts, for values may have some.
 */
export function parseClaimEntry(entry: string): [value: string, meaning: string] | undefined {
  const at = entry.lastIndexOf('=');
  const [value, meaning] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  return at < 0 || value === '' || meaning === '' || meaning === GROUP ? undefined : [value, meaning];
}

/** Whether a text is the address of a bucket, with a scheme, a host, and the bucket as the first part of its path. */
export function isBucketUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' &&
    url.hash === '' && /^\/[^/]+/.test(url.pathname);
}

/** A bucket with a prefix, which may be empty, or a folder. */
export type ObjectPlace = { readonly bucket: string; readonly prefix: string } | { readonly folder: string };

/** Reads `s3://bucket/prefix` or the path of a folder; undefined for other URLs, and for a bucket without a name. */
export function parseObjectPlace(text: string): ObjectPlace | undefined {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) return text === '' ? undefined : { folder: text };
  const [, bucket, prefix = ''] = /^([a-z0-9][a-z0-9._-]{1,62})(?:\/([\w./-]*))?$/.exec(rest) ?? [];
  return scheme !== 's3' || bucket === undefined ? undefined : { bucket, prefix };
}

/** Parses `Name: value` (RFC 9110, section 5); returns undefined if it is not a header that can be sent. */
export function parseHeaderLine(line: string): { readonly name: string; readonly value: string } | undefined {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line) ?? [];
  return name === undefined || value === undefined || value === '' ? undefined : { name, value };
}

/** A syslog server; UDP unless the text says otherwise. */
export interface SyslogAddress {
  readonly protocol: 'udp' | 'tcp';
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, `udp://host:port` or `tcp://host:port`; undefined for everything else. */
export function parseSyslogAddress(text: string): SyslogAddress | undefined {
  const [, scheme = 'udp', rest] = /^(?:(udp|tcp):\/\/)?([^/]*)$/.exec(text) ?? [];
  const address = rest === undefined ? undefined : parseAddress(rest);
  if (address?.kind !== 'tcp' || address.host === undefined || address.port === 0) return undefined;
  return { protocol: scheme as 'udp' | 'tcp', host: address.host, port: address.port };
}

export function formatSyslogAddress({ protocol, host, port }: SyslogAddress): string {
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Freezes a tree of plain objects and arrays and returns it. Used for settings, which everyone reads and nothing may
 * change.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
