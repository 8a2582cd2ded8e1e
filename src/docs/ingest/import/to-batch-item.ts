import { parseJsonInSteps } from '../../../lib/json-in-steps.ts';
import { type JsonLimits, JsonTooLarge } from '../../../lib/json-scanner.ts';
import { flattenIfNested } from '../../../text/flatten-meta.ts';
import type { BatchItem } from '../../documents/index.ts';
import type { Line } from './lines.ts';

const SHOWN_MESSAGE = 200;
const SHOWN_PATH = 80;

/** Longer lines are parsed in steps, and may have as many values as the request for one document. */
const AT_ONCE = 64 * 1024;
const LIMITS: JsonLimits = { maxValues: 300_000, maxDepth: 64 };

export interface LineOptions {
  /** Used for documents whose lines do not say it. */
  readonly saveRevision: boolean;
  /** Maximum number of bytes of a line. */
  readonly maxBytes: number;
}

/**
 * The batch item of a line. A line that cannot be parsed has the reason in the item, and fails alone. Fields that
 * documents do not have are ignored.
 */
export function toBatchItem({ text }: Line, options: LineOptions): BatchItem | Promise<BatchItem> {
  const { saveRevision, maxBytes } = options;
  if (text === undefined) return { saveRevision, refused: `the line is longer than ${maxBytes} bytes` };
  if (text.length > AT_ONCE) return longItem(text, options);
  try {
    return itemOf(JSON.parse(text), options);
  } catch (error) {
    return refusedItem(error, options);
  }
}

/** Parses in steps, because a line may be as long as the body of a request. */
async function longItem(text: string, options: LineOptions): Promise<BatchItem> {
  try {
    return itemOf(await parseJsonInSteps(Buffer.from(text), { limits: LIMITS, decode: (bytes) => bytes.toString() }),
      options);
  } catch (error) {
    return refusedItem(error, options);
  }
}

function refusedItem(error: unknown, { saveRevision }: LineOptions): BatchItem {
  const { message } = error as Error;
  return {
    saveRevision,
    refused: error instanceof JsonTooLarge ? `the line ${message}` : `invalid JSON: ${message.slice(0, SHOWN_MESSAGE)}`,
  };
}

function itemOf(value: unknown, { saveRevision }: LineOptions): BatchItem {
  if (!isObject(value)) return { saveRevision, refused: 'invalid JSON: a line must be an object' };
  const { key, lang, contentMd, meta, ttl, saveRevision: own = saveRevision } = value;
  const problem = problemOf(value);
  const refuse = (refused: string): BatchItem => ({ ...(typeof key === 'string' && { key }), saveRevision, refused });
  if (problem !== undefined) return refuse(problem);
  const flat = meta == null ? undefined : flattenIfNested(meta as Readonly<Record<string, unknown>>);
  if (flat?.infinite !== undefined) return refuse(`meta.${flat.infinite.slice(0, SHOWN_PATH)} must be a finite number`);
  return {
    key: key as string | undefined,
    lang: lang as string | undefined,
    contentMd: contentMd as string | undefined,
    meta: flat?.meta,
    ttl: ttl as number | undefined,
    saveRevision: own as boolean,
  };
}

/** The fields with a wrong type; the writer checks everything else. */
function problemOf(
  { key, lang, contentMd, meta, ttl, saveRevision }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!isTextOrAbsent(key)) return 'key must be a string';
  if (!isTextOrAbsent(lang)) return 'lang must be a string';
  if (!isTextOrAbsent(contentMd)) return 'contentMd must be a string';
  if (ttl !== undefined && !Number.isSafeInteger(ttl)) return 'ttl must be an integer';
  if (saveRevision !== undefined && typeof saveRevision !== 'boolean') return 'saveRevision must be true or false';
  return meta == null || isObject(meta) ? undefined : 'meta must be an object';
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
