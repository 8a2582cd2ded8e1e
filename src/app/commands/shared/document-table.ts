import type { ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import { type Column, formatMoment, renderTable } from './output.ts';

interface DocumentColumn extends Column {
  readonly text: (document: ProjectedDocument) => string;
}

const MOMENTS = ['addedAt', 'updatedAt', 'expiresAt'] as const;

const KEY: DocumentColumn = { heading: 'key', minimum: 12, text: ({ key }) => key };
const LANG: DocumentColumn = { heading: 'lang', minimum: 4, text: ({ lang }) => lang };

const DEFAULT_COLUMNS: readonly DocumentColumn[] = [KEY, {
  heading: 'title',
  minimum: 12,
  text: ({ meta }) => joined(meta?.title),
}, fieldColumn('updatedAt', 'updated'), {
  heading: 'tags',
  minimum: 8,
  text: ({ meta }) => joined(meta?.tags ?? meta?.category),
}];

/**
 * Documents as rows of a table: key, title, time of the last change and tags (the category if there are none), or the
 * key and the named fields. The language is shown if it is not the same for all. `width` is the width of the terminal;
 * without it, nothing is truncated.
 */
export function documentTable(documents: readonly ProjectedDocument[], fields?: readonly string[],
  width?: number): string[]
{
  const chosen = fields === undefined
    ? DEFAULT_COLUMNS
    : [KEY, ...fields.filter((name) => !['id', 'key', 'lang'].includes(name)).map((name) => fieldColumn(name))];
  const [key, ...others] = chosen;
  const mixed = fields?.includes('lang') || documents.some(({ lang }) => lang !== documents[0]!.lang);
  const columns = mixed ? [key!, LANG, ...others] : chosen;
  return renderTable(columns, documents.map((document) => columns.map(({ text }) => text(document))), width);
}

/** A field of the document if it has one with that name, otherwise a metadata key. */
function fieldColumn(name: string, heading = name): DocumentColumn {
  const moment = MOMENTS.find((each) => each === name);
  // A truncated time would be useless.
  if (moment !== undefined)
    return {
      heading,
      minimum: 16,
      text: (document) => (document[moment] === undefined ? '' : formatMoment(document[moment])),
    };
  if (name === 'contentMd') return { heading, minimum: 20, text: ({ contentMd }) => (contentMd ?? '').slice(0, 500) };
  if (name === 'meta')
    return {
      heading,
      minimum: 12,
      text: ({ meta }) => Object.entries(meta ?? {}).map(([key, values]) => `${key}=${joined(values)}`).join(' '),
    };
  return {
    heading,
    minimum: 8,
    text: ({ meta }) => (meta !== undefined && Object.hasOwn(meta, name) ? joined(meta[name]) : ''),
  };
}

const joined = (values: readonly string[] | undefined): string => (values ?? []).join(', ');
