import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Collections } from '../collections/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { importDocuments } from './import/import-documents.ts';
import { ingestDocuments } from './ingest-documents.ts';

/** Loading documents in bulk. Bulk jobs, uploads and imports of pages and dumps are not built yet, so they have no handler. */
export interface Ingest {
  readonly handlers: Required<Pick<Handlers<Operations>, 'ingestDocuments' | 'importDocuments'>>;
}

export function createIngest(
  { sql, log }: Pick<DocsEnvironment, 'sql' | 'log'>,
  areas: {
    readonly collections: Pick<Collections, 'configOf' | 'configure'>;
    readonly documents: Pick<Documents, 'writer'>;
    /** Resolves when everything written so far can be found; at once where nothing is said. */
    readonly caughtUp?: (signal: AbortSignal) => Promise<void>;
  },
): Ingest {
  const { collections, documents: { writer }, caughtUp = async () => undefined } = areas;
  return { handlers: { ingestDocuments: ingestDocuments({ sql, collections, writer }), importDocuments: importDocuments({ writer, caughtUp, log }) } };
}
