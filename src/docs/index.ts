import { createCodeGraph } from './codegraph/index.ts';
import { createCollections } from './collections/index.ts';
import { createCuration } from './curation/index.ts';
import { createDocuments } from './documents/index.ts';
import type { DocsEnvironment } from './environment.ts';
import { acknowledgeCaughtUp, createFullText, createFullTextSearch } from './fulltext/index.ts';
import { createIngest } from './ingest/index.ts';
import { createMaintenance } from './maintenance/index.ts';
import { createSchemas } from './schemas/index.ts';
import { createSystem, type System } from './system/index.ts';
import type { Operations } from '../../generated/docs/operations.ts';
import type { Handlers } from '../operations/index.ts';

export type { DocsEnvironment, DocsSettings, ServerDescription } from './environment.ts';

/** The document service without its protocols: its handlers and its work in the background. */
export interface DocumentService {
  readonly handlers: Handlers<Operations>;
  readonly observeHttp: System['observeHttp'];
  /** Stops the work in the background and waits for it; safe twice. */
  stop(): Promise<void>;
}

/** Wires the areas together over one database, which must be migrated. */
export async function createDocumentService(env: DocsEnvironment): Promise<DocumentService> {
  const collections = createCollections(env);
  const schemas = createSchemas(env);
  const documents = createDocuments(env, { collections, schemas });
  const ingest = createIngest(env, { collections, documents });
  const fullText = createFullText(env);
  const curation = createCuration(env);
  const codeGraph = createCodeGraph(env);
  const search = createFullTextSearch(env, { fullText, collections, curation });
  const reload = async (): Promise<void> => {
    for (const area of [collections, schemas, documents, fullText, curation]) await area.load();
  };
  const maintenance = createMaintenance(env, { documents, onRestored: [reload, () => search.view.restart()] });
  const checksum = async (collection: string) => (await documents.reader.checksum(collection)).checksum;
  const system = createSystem(env, { documents: { checksum } });
  await reload();
  await search.view.start();
  // In read mode nothing may write, the sweep included: what has expired is hidden all the same.
  if (env.settings.mode !== 'read') documents.startSweep();
  const handlers: Handlers<Operations> = {
    ...collections.handlers, ...schemas.handlers, ...documents.handlers,
    ...ingest.handlers, ...maintenance.handlers, ...system.handlers,
    ...fullText.handlers, ...curation.handlers, ...codeGraph.handlers, ...search.handlers,
  };
  return {
    handlers: acknowledgeCaughtUp(handlers, search.view),
    observeHttp: system.observeHttp,
    async stop() {
      await documents.stop();
      await search.view.stop();
    },
  };
}
