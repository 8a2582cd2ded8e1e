import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Collections } from '../collections/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { ingestDocuments } from './ingest-documents.ts';

/** Loading documents in bulk. Bulk jobs, uploads and imports are not built yet, so they have no handler. */
export interface Ingest {
  readonly handlers: Required<Pick<Handlers<Operations>, 'ingestDocuments'>>;
}

export function createIngest(
  { sql }: Pick<DocsEnvironment, 'sql'>, areas: { collections: Pick<Collections, 'configOf' | 'configure'>; documents: Pick<Documents, 'writer'> },
): Ingest {
  const { collections, documents: { writer } } = areas;
  return { handlers: { ingestDocuments: ingestDocuments({ sql, collections, writer }) } };
}
