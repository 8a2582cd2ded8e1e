import { flatMeta } from '../../../text/flatten-meta.ts';
import type { BatchItem } from '../../documents/index.ts';
import type { Line } from './lines.ts';

const SHOWN_MESSAGE = 200;

export interface LineOptions {
  /** Used for documents whose lines do not say it. */
  readonly saveRevision: boolean;
  /** Maximum number of bytes of a line. */
  readonly maxBytes: number;
}

/**
 * The batch item of a line. A line that cannot be parsed has the reason in the item, and fails alone. Fields that documents do not have are
 * ignored.
 */
export function toBatchItem({ text }: Line, { saveRevision, maxBytes }: LineOptions): BatchItem {
  if (text === undefined) return { saveRevision, refused: `the line is longer than ${maxBytes} bytes` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { saveRevision, refused: `invalid JSON: ${(error as Error).message.slice(0, SHOWN_MESSAGE)}` };
  }
  if (!isObject(value)) return { saveRevision, refused: 'invalid JSON: a line must be an object' };
  const { key, lang, contentMd, meta, ttl, saveRevision: own = saveRevision } = value;
  const problem = problemOf(value);
  if (problem !== undefined) return { ...(typeof key === 'string' && { key }), saveRevision, refused: problem };
  return {
    key: key as string | undefined, lang: lang as string | undefined, contentMd: contentMd as string | undefined,
    meta: meta == null ? undefined : flatMeta(meta as Readonly<Record<string, unknown>>), ttl: ttl as number | undefined, saveRevision: own as boolean,
  };
}

/** The fields with a wrong type; the writer checks everything else. */
function problemOf({ key, lang, contentMd, meta, ttl, saveRevision }: Readonly<Record<string, unknown>>): string | undefined {
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
