import { validate } from 'node-cron';
import { type Address, formatAddress, parseAddress } from '../../lib/address.ts';
import { formatByteSize, parseByteSize } from '../../lib/byte-size.ts';
import { formatDuration, parseDurationOrSeconds } from '../../lib/duration.ts';
import { type Network, parseNetwork } from '../../lib/trusted-proxies.ts';
import type { WebReach } from '../../lib/web-guard.ts';

/** Returns the value of another setting by its path; only for settings whose own default is a plain value. */
export type Lookup = <T>(path: string) => T;

/** One setting: its sources, its type, and its meaning. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  /** A value, or a function that computes one from other settings. */
  readonly fallback: T | ((lookup: Lookup) => T);
  /** Environment variables, in descending order of precedence; empty if only the YAML file has the setting. */
  readonly env: readonly string[];
  /** What it does, as one phrase. */
  readonly meaning: string;
  /** Description of a default that is not a plain value. */
  readonly fallbackText?: string;
  /** Paths in the YAML file, in descending order of precedence; the default is the setting's own path. */
  readonly yaml?: readonly string[];
  /** Long name of the command-line flag, without dashes. */
  readonly flag?: string;
  /**
   * Variable that replaces the port of an address, unless the source with the highest precedence sets the whole
   * address.
   */
  readonly portEnv?: string;
  /** True if no message, log or listing may show the value. */
  readonly secret?: boolean;
}

type Extras<T> = Omit<Setting<T>, 'kind' | 'fallback' | 'env' | 'meaning'>;

/** A setting of the table. `env` is empty if only the YAML file has it. */
export function setting<T>(kind: Kind<T>, fallback: NoInfer<T> | ((lookup: Lookup) => NoInfer<T>),
  env: string | readonly string[], meaning: string, extras: Extras<T> = {}): Setting<T>
{
  return { kind, fallback, env: typeof env === 'string' ? [env] : env, meaning, ...extras };
}

/** The type of a setting's value. */
export type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** How values of one type are parsed, described and shown. */
export interface Kind<T> {
  /** A description of valid values, to follow `expected`: `a port from 0 to 65535`. */
  readonly expected: string;
  /** Parses a text; undefined if it is not valid. */
  parse(text: string): T | undefined;
  /** Returns the text that `parse` converts back; empty for "nothing". */
  show(value: T): string;
  /** What the YAML file may contain besides a scalar: a list, or a structure that is passed to `parse` as JSON. */
  readonly yaml?: 'list' | 'structure';
}

export const text: Kind<string> = { expected: 'a text', parse: (value) => value, show: (value) => value };

/** A text for which the YAML file may also contain a structure. */
export const structure: Kind<string> = { ...text, expected: 'a text or a list', yaml: 'structure' };

export const boolean: Kind<boolean> = {
  expected: 'true or false (also 1/0, yes/no, on/off, enable/disable)',
  parse: parseBoolean,
  show: String,
};

/** Integers from `min` to `max`, both inclusive. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  return {
    expected: max === Number.MAX_SAFE_INTEGER ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`,
    parse: (value) => (/^-?\d+$/.test(value) ? within(Number(value), min, max) : undefined),
    show: String,
  };
}

/** Milliseconds, written as `500ms`, `5s`, `15m`, `24h`, `7d` or whole seconds. */
export function duration(min = 0, max: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const least = min > 0 ? ` of at least ${formatDuration(min)}` : '';
  const most = max < Number.MAX_SAFE_INTEGER ? ` up to ${formatDuration(max)}` : '';
  return {
    expected: `a duration such as 500ms, 5s, 15m, 24h or 7d, or whole seconds${least}${most}`,
    parse: (value) => within(parseDurationOrSeconds(value), min, max),
    show: formatDuration,
  };
}

/** Bytes, written as a number or as `32MiB`, `256MB`. */
export function byteSize(min = 0, max: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  return {
    expected: `a number of bytes such as 1048576 or 32MiB${min > 0 ? `, at least ${formatByteSize(min)}` : ''}`,
    parse: (value) => within(parseByteSize(value), min, max),
    show: formatByteSize,
  };
}

/** One of some words, in any letter case; `aliases` are other spellings of them. */
export function oneOf<const Word extends string>(words: readonly Word[],
  aliases: Readonly<Record<string, NoInfer<Word>>> = {}): Kind<Word>
{
  return {
    expected: `one of ${words.join(', ')}`,
    parse(value) {
      const lower = value.toLowerCase();
      return words.find((word) => word.toLowerCase() === lower) ??
        (Object.hasOwn(aliases, lower) ? aliases[lower] : undefined);
    },
    show: (value) => value,
  };
}

/** TCP addresses, and unix sockets if the server can listen on them (decisions, section 5.3). */
export function address(sockets: 'with sockets' | 'tcp only'): Kind<Address> {
  const withSockets = sockets === 'with sockets' && process.platform !== 'win32';
  return {
    expected: `an address such as :11023, 127.0.0.1:11023${
      withSockets ? ', [::1]:11023 or unix:/run/quire.sock' : ' or [::1]:11023'
    }`,
    parse(value) {
      const parsed = parseAddress(value);
      return parsed?.kind === 'unix' && !withSockets ? undefined : parsed;
    },
    show: formatAddress,
  };
}

/** An absolute http or https URL; a final slash is removed. */
export const httpUrl: Kind<string> = {
  expected: 'an absolute http:// or https:// URL',
  parse: (
    value,
  ) => (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? value.replace(/\/$/, '') : undefined),
  show: (value) => value,
};

/** An IP address, or a range of them. */
export const network: Kind<Network> = {
  expected: 'an address such as 10.0.0.1, or a range such as 10.0.0.0/8 or 2001:db8::/32',
  parse: parseNetwork,
  show: ({ text: written }) => written,
};

/** `*`, or the scheme, host and port of a web page. */
export const origin: Kind<string> = {
  expected: '* or an origin such as https://app.example.org',
  parse(value) {
    if (value === '*') return value;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && (url.href === `${url.origin}/`)
      ? url.origin
      : undefined;
  },
  show: (value) => value,
};

/** Origins whose web pages may call, and what pages of all other origins may do. */
export interface WebOrigins {
  readonly listed: readonly string[];
  readonly others: WebReach;
}

/** A list of origins. An explicit `*` allows every page to do everything; the default `*` allows only reading. */
export const webOrigins: Kind<WebOrigins> = {
  expected: listOf(origin).expected,
  parse(value) {
    const origins = listOf(origin).parse(value);
    return origins &&
      { listed: origins.filter((each) => each !== '*'), others: origins.includes('*') ? 'everything' : 'nothing' };
  },
  show: ({ listed, others }) => [...(others === 'everything' ? ['*'] : []), ...listed].join(','),
  yaml: 'list',
};

/** A cron expression of five fields, or empty. */
export const cron: Kind<string> = {
  expected: 'a cron expression of five fields such as "30 2 * * mon-fri"',
  parse: (
    value,
  ) => (value === '' || (value.trim().split(/\s+/).length === 5 && validate(value)) ? value.trim() : undefined),
  show: (value) => value,
};

export const timeZone: Kind<string> = {
  expected: 'a time zone such as UTC or Europe/Berlin',
  parse(value) {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
    } catch {
      // The only way to find out whether a time zone exists.
      return undefined;
    }
  },
  show: (value) => value,
};

/** Several values, separated by commas. */
export function listOf<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    expected: `a list, separated by commas, each ${item.expected}`,
    parse(value) {
      const items = value.split(',').map((part) => part.trim()).filter((part) => part !== '').map(item.parse);
      return items.some((parsed) => parsed === undefined) ? undefined : (items as T[]);
    },
    show: (values) => values.map(item.show).join(','),
    yaml: 'list',
  };
}

/** A value that may be absent. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return { expected: kind.expected, parse: kind.parse, show: (value) => (value === undefined ? '' : kind.show(value)) };
}

function within(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  yes: true,
  on: true,
  enable: true,
  false: false,
  0: false,
  no: false,
  off: false,
  disable: false,
};

/**
 * The forms of a switch, in any case: true/false, 1/0, yes/no, on/off, enable/disable. Returns undefined for other
 * texts.
 */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}
