import { validate } from 'node-cron';
import { type Address, parseAddress } from '../../lib/address.ts';
import { parseByteSize } from '../../lib/byte-size.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { Format } from './schema/build.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

interface FormatRule {
  /** Completes an error message after the word `expected`. */
  readonly expected: string;
  /** The value, or undefined when the text is not valid. */
  readonly read: (text: string) => unknown;
}

const durationOrZero = (text: string): number | undefined => (text === '0' ? 0 : parseDuration(text));
const positive = (
  value: number | undefined,
): number | undefined => (value !== undefined && value > 0 ? value : undefined);
const isInterval = (text: string): boolean => {
  const value = parseDuration(text);
  return value !== undefined && value >= MINUTE && value <= 366 * DAY;
};

/** A day or a time in UTC, in milliseconds since 1970; 0 for an empty text, undefined for an invalid one. */
function readMoment(text: string): number | undefined {
  if (text === '') return 0;
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  // Date.parse counts a day past the end of a month into the next month.
  return Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(text.slice(0, 10))
    ? undefined
    : milliseconds;
}

const FIELDS = 5;

/** Without seconds, because the service looks for due runs once a minute. */
export function isCron(text: string): boolean {
  return text.length <= 200 && text.trim().split(/\s+/).length === FIELDS && validate(text);
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Names are valid names of pipeline inputs. */
function isGroup(text: string): boolean {
  return text.length <= 200 &&
    !/[{}]/.test(
      text.replaceAll(/\{(project|pipeline|ref|event|branch|pull_request|input|input\.[A-Za-z0-9_-]+)\}/g, ''),
    );
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** The text formats: how each is checked and converted. */
export const FORMATS: Readonly<Record<Format, FormatRule>> = {
  'duration': { expected: 'a duration such as 30s, 15m or 24h', read: (text) => positive(parseDuration(text)) },
  'duration-or-zero': { expected: 'a duration such as 30s, 15m or 24h, or "0"', read: durationOrZero },
  'bytes': { expected: 'a size such as 16KiB, 10MiB or 1GiB', read: (text) => positive(parseByteSize(text)) },
  'bytes-or-zero': {
    expected: 'a size such as 16KiB, 10MiB or 1GiB, or "0"',
    read: (text) => (text === '0' ? 0 : positive(parseByteSize(text))),
  },
  'address': {
    expected: 'an address such as 127.0.0.1:11030 or :11030',
    read: (text) => {
      const address = parseAddress(text);
      return address?.kind === 'tcp' ? address : undefined;
    },
  },
  'written-duration': {
    expected: 'a duration such as 30s, 15m or 24h',
    read: (text) => (positive(parseDuration(text)) === undefined ? undefined : text),
  },
  'moment': {
    expected: 'a day or a moment in UTC such as 2027-01-31 or 2027-01-31T12:00:00Z, or "" for never',
    read: readMoment,
  },
  'cron': {
    expected: 'a cron expression of five fields such as "30 2 * * mon-fri"',
    read: (text) => (isCron(text) ? text : undefined),
  },
  'timezone': {
    expected: 'an IANA time zone such as Europe/Berlin',
    read: (text) => (isTimeZone(text) ? text : undefined),
  },
  'endpoint': {
    expected: 'an http:// or https:// URL without credentials',
    read: (text) => (isEndpoint(text) ? text : undefined),
  },
  'group': {
    expected:
      'a name in which braces hold only project, pipeline, ref, event, branch, pull_request, input or input.NAME',
    read: (text) => (isGroup(text) ? text : undefined),
  },
  'written-interval': {
    expected: 'a duration from 1m to 366d, or "" for never',
    read: (text) => (text === '' || isInterval(text) ? text : undefined),
  },
};

interface SchemaNode {
  readonly format?: Format;
  readonly items?: SchemaNode;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly 'x-text'?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/**
 * Converts a valid value with its defaults filled in: durations become milliseconds, sizes bytes, and addresses their
 * parts.
 */
export function readBySchema<const S extends object>(schema: S, value: unknown): FromSchema<S> {
  return readNode(schema as SchemaNode, value) as FromSchema<S>;
}

function readNode(schema: SchemaNode, value: unknown): unknown {
  if (schema.format !== undefined) return FORMATS[schema.format].read(value as string);
  const { items, properties, additionalProperties: others } = schema;
  if (schema['x-text'] === true) return String(value);
  if (items !== undefined && Array.isArray(value)) return value.map((item) => readNode(items, item));
  if (properties === undefined) return typeof others === 'object' ? readMembers(value as object, () => others) : value;
  return readMembers(value as object, (name) => properties[name]);
}

/** Members without a schema, such as `x-` keys, are left out. */
function readMembers(value: object, schemaOf: (name: string) => SchemaNode | undefined): object {
  return Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => {
    const schema = schemaOf(name);
    return schema === undefined ? [] : [[name, readNode(schema, inner)]];
  }));
}

/** The type that `readBySchema` produces for each text format. */
interface FormatValues {
  'duration': number;
  'duration-or-zero': number;
  'bytes': number;
  'bytes-or-zero': number;
  'address': Address;
  'written-duration': string;
  'written-interval': string;
  'moment': number;
  'cron': string;
  'timezone': string;
  'endpoint': string;
  'group': string;
}

/**
 * The type of the values that a JSON Schema describes, after `readBySchema`. It covers what the schema of the
 * configuration uses: objects whose properties are required or have a default (a test checks this), maps, lists,
 * enumerations, single values of any type, and nullable lists and numbers.
 */
export type FromSchema<S> = S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly format: infer F extends keyof FormatValues } ? FormatValues[F]
  : S extends { readonly type: readonly ['string', 'object'] } ? string | Readonly<Record<string, unknown>>
  : S extends { readonly 'x-text': true } ? string
  : S extends { readonly type: readonly ['string', 'number', 'boolean'] } ? string | number | boolean
  : S extends { readonly type: readonly ['string', 'number', 'boolean', 'null'] } ? string | number | boolean | null
  : S extends { readonly type: readonly ['number', 'null'] } ? number | null
  : S extends { readonly type: 'string' } ? string
  : S extends { readonly type: 'integer' | 'number' } ? number
  : S extends { readonly type: 'boolean' } ? boolean
  : S extends { readonly type: 'array'; readonly items: infer I } ? readonly FromSchema<I>[]
  : S extends { readonly type: readonly ['array', 'null']; readonly items: infer I } ? readonly FromSchema<I>[] | null
  : S extends { readonly type: 'object'; readonly properties: infer P } ? { readonly [K in keyof P]: FromSchema<P[K]> }
  : S extends { readonly type: 'object'; readonly additionalProperties: infer V }
    ? Readonly<Record<string, FromSchema<V>>>
  : never;
