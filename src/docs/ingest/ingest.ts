import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Collections } from '../collections/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Outbound } from '../../net/index.ts';
import { ingestDocuments } from './ingest-documents.ts';
import { importWiki } from './wiki/index.ts';

/** Loading documents in bulk. Bulk jobs, uploads and imports from the web are not built yet, so they have no handler. */
export interface Ingest {
  readonly handlers: Required<Pick<Handlers<Operations>, 'ingestDocuments' | 'importWiki'>>;
}

export function createIngest(
  { sql, settings }: Pick<DocsEnvironment, 'sql' | 'settings'>, areas: { outbound: Pick<Outbound, 'fetch'>; collections: Pick<Collections, 'configOf' | 'configure'>; documents: Pick<Documents, 'writer'> },
): Ingest {
  const { outbound, collections, documents: { writer } } = areas;
  const limits = settings.wiki ?? { maxPages: 500_000, maxBytes: 4 * 1024 ** 3 };
  return { handlers: { ingestDocuments: ingestDocuments({ sql, collections, writer }), importWiki: importWiki({ sql, writer, outbound, limits }) } };
}
