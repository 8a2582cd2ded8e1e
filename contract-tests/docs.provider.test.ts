import { operations } from '../generated/docs/operations.ts';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import * as functions from '../generated/docs/sdk/sdk.gen.ts';
import { startDocsServer } from '../src/testkit/docs-server.ts';
import { providerSuite } from './provider.suite.ts';
import { codegraph } from './scenarios/codegraph.ts';
import { collections } from './scenarios/collections.ts';
import { curation } from './scenarios/curation.ts';
import { documents } from './scenarios/documents.ts';
import { embeddings } from './scenarios/embeddings.ts';
import { fulltext } from './scenarios/fulltext.ts';
import { hybrid } from './scenarios/hybrid.ts';
import { ingest } from './scenarios/ingest.ts';
import { maintenance } from './scenarios/maintenance.ts';
import { memory } from './scenarios/memory.ts';
import { revisions } from './scenarios/revisions.ts';
import { schemas } from './scenarios/schemas.ts';
import { system } from './scenarios/system.ts';
import { vectorOperations } from './scenarios/vector-operations.ts';
import { vectors } from './scenarios/vectors.ts';

providerSuite({
  service: 'docs',
  operations, functions,
  // The server runs without authentication, but Prism asks for the credential that the specification names.
  createClient: (baseUrl) => createClient(createConfig({ baseUrl, auth: 'token' })),
  start: () => startDocsServer(),
  scenarios: { ...documents, ...revisions, ...ingest, ...maintenance, ...collections, ...schemas, ...system, ...fulltext, ...curation, ...codegraph, ...memory, ...embeddings, ...vectors, ...vectorOperations, ...hybrid },
});
