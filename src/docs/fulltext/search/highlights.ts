import type { Highlight } from '../../../../generated/docs/sdk/types.gen.ts';
import { isCodeDocument, tokenizeCode } from '../../../text/code/index.ts';
import { highlight, type HighlightOptions } from '../../../text/highlight/index.ts';
import { tokenize } from '../../../text/tokenize.ts';
import type { Meta } from '../../documents/index.ts';
import { CONTENT, type Field, FIELDS, type TextIndex } from '../view/text-index.ts';
import { fieldByName, nameOfKey } from '../view/to-indexed.ts';
import type { SearchRequest } from './request.ts';
import { type WordMatcher, WordMatchers } from './word-matcher.ts';

type Options = NonNullable<SearchRequest['highlight']>;

/** Finds the passages of a document, whose body may be UTF-8 bytes. */
export type Highlighter = (document: Shown & { readonly lang: string }) => Highlight[];

interface Shown {
  readonly key: string;
  readonly meta: Meta;
  /** May be UTF-8 bytes. */
  readonly contentMd: string | Buffer;
}

/** Undefined if the request asks for no passages. With an index, words are found by its forms. */
export function highlighterOf(request: Pick<SearchRequest, 'plan' | 'fields' | 'highlight'>,
  index: TextIndex | undefined): Highlighter | undefined
{
  const { plan, highlight: options } = request;
  if (options === undefined) return undefined;
  const matchers = new WordMatchers(plan, index);
  return ({ lang, ...document }) => {
    const matcher = matchers.of({ lang, ...document });
    return matcher === undefined ? [] : highlightsOf(request, options, matcher, document);
  };
}

/**
 * The best passages of a document's body, then those of its metadata, the same maximum number of each; only in
 * searched fields.
 */
export function highlightsOf({ fields }: Pick<SearchRequest, 'fields'>, options: Options, matcher: WordMatcher,
  document: Shown): Highlight[]
{
  const code = isCodeDocument(document);
  const { contentMd } = document;
  const { marks, highlighted } = matcher;
  const tokens = code ? tokenizeCode : tokenize;
  const scan = marks && ((text: string | Buffer) => (code ? marks.scanBy(tokenizeCode, text) : marks.scan(text)));
  const all: HighlightOptions = { ...options, ...highlighted, tokens, ...(scan && { scan }), markdown: !code };
  const counts = (field: Field): boolean => fields?.includes(field) !== false;
  const body = counts(CONTENT)
    ? highlight(contentMd, all).map((found): Highlight => ({ field: FIELDS[CONTENT], ...found }))
    : [];
  return [...body, ...inMetadata(document.meta, counts, all, options.maxHighlights)];
}

/** At most one passage of each value: those with the most terms, in the order of the metadata. */
function inMetadata(meta: Meta, counts: (field: Field) => boolean, options: HighlightOptions,
  most: number): Highlight[]
{
  const found = Object.entries(meta).filter(([key]) => counts(fieldByName(nameOfKey(key)))).flatMap(([key, values]) =>
    values.flatMap((value, valueIndex) => (
      highlight(value, { ...options, maxHighlights: 1 }).map((one): Highlight => ({
        field: nameOfKey(key),
        valueIndex,
        ...one,
      }))
    ))
  );
  if (found.length <= most) return found;
  const best = new Set([...found].sort((a, b) => b.matchedTerms.length - a.matchedTerms.length).slice(0, most));
  return found.filter((one) => best.has(one));
}
