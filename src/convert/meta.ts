import { ConversionError, type ConvertedMeta } from './contract.ts';

/** Metadata as files state it; values may be empty, repeated or of the wrong form. */
interface Said {
  readonly title?: string | undefined;
  readonly author?: string | readonly string[] | undefined;
  readonly lang?: string | undefined;
  readonly created?: string | Date | undefined;
  readonly modified?: string | Date | undefined;
}

// Longer values are body text that was put into a field by mistake.
const MAX_VALUE = 1000;
// ISO 8601 as written in office files: a date, or a date and time with an optional fraction and zone.
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;

/** The metadata keys `title`, `author`, `lang`, `created` and `modified`; empty and malformed values are left out. */
export function metaOf(said: Said): ConvertedMeta {
  const meta: ConvertedMeta = {};
  const set = (key: string, values: readonly (string | undefined)[]) => {
    const kept = [...new Set(values.filter((value) => value !== undefined && value !== ''))] as string[];
    if (kept.length > 0) meta[key] = kept;
  };
  set('title', [oneLine(said.title)]);
  set('author', (typeof said.author === 'string' ? [said.author] : (said.author ?? [])).map(oneLine));
  set('lang', [languageTag(said.lang)]);
  set('created', [dateText(said.created)]);
  set('modified', [dateText(said.modified)]);
  return meta;
}

/** The part that holds a file's metadata. A damaged one is left out with a warning, because the text is readable. */
export function metadataPart<T>(read: () => T, warnings: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConversionError) || error.fault !== 'damaged') throw error;
    warnings.push('The metadata of the file is damaged and was left out.');
    return undefined;
  }
}

/** Text on one line without control characters, truncated to 1,000 characters. */
function oneLine(text: string | undefined): string | undefined {
  return text?.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim().slice(0, MAX_VALUE);
}

function languageTag(text: string | undefined): string | undefined {
  const tag = text?.trim().replaceAll('_', '-');
  return tag !== undefined && LANGUAGE.test(tag) && !/^(?:zxx|und|none)$/i.test(tag) ? tag : undefined;
}

/** A date as it was written if it is ISO 8601; a Date in UTC. */
function dateText(value: string | Date | undefined): string | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : value.toISOString().replace('.000Z', 'Z');
  const text = value?.trim();
  return text !== undefined && DATE.test(text) ? text : undefined;
}
