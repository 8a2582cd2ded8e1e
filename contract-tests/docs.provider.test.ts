import { afterAll } from 'vitest';
import { operations } from '../generated/docs/operations.ts';
import { createClient, createConfig } from '../generated/docs/sdk/client/index.ts';
import * as functions from '../generated/docs/sdk/sdk.gen.ts';
import { LocalIssuer } from '../src/testkit/local-issuer.ts';
import { providerSuite } from './provider.suite.ts';
import { access } from './scenarios/access.ts';
import { audit } from './scenarios/audit.ts';
import { automation } from './scenarios/automation.ts';
import { cluster } from './scenarios/cluster.ts';
import { codegraph } from './scenarios/codegraph.ts';
import { collections } from './scenarios/collections.ts';
import { curation } from './scenarios/curation.ts';
import { documents } from './scenarios/documents.ts';
import { embeddings } from './scenarios/embeddings.ts';
import { encryption } from './scenarios/encryption.ts';
import { events } from './scenarios/events.ts';
import { fulltext } from './scenarios/fulltext.ts';
import { geo } from './scenarios/geo.ts';
import { hybrid } from './scenarios/hybrid.ts';
import { ingest } from './scenarios/ingest.ts';
import { maintenance } from './scenarios/maintenance.ts';
import { memory } from './scenarios/memory.ts';
import { replication } from './scenarios/replication.ts';
import { revisions } from './scenarios/revisions.ts';
import { schemas } from './scenarios/schemas.ts';
import { spell } from './scenarios/spell.ts';
import { system } from './scenarios/system.ts';
import { temporal } from './scenarios/temporal.ts';
import { vectorOperations } from './scenarios/vector-operations.ts';
import { vectors } from './scenarios/vectors.ts';
import { webhooks } from './scenarios/webhooks.ts';
import { ADMIN, AT_REST, startWithAuth, tokenOf } from './support/access-server.ts';

let token = '';
let issuer: LocalIssuer | undefined;
afterAll(() => issuer?.stop());

providerSuite({
  service: 'docs',
  operations,
  functions,
  createClient: (baseUrl) =>
    createClient(createConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? token : undefined) })),
  // With authentication, as its administrator: without it, the operations of authentication do not exist.
  start: async () => {
    issuer = await LocalIssuer.start();
    const server = await startWithAuth({ ...AT_REST, ...issuer.environment, SVC_SPELL: 'true' });
    token = await tokenOf(server.url, ADMIN);
    return server;
  },
  scenarios: {
    ...access,
    ...audit,
    ...automation,
    ...encryption,
    ...documents,
    ...revisions,
    ...ingest,
    ...maintenance,
    ...collections,
    ...schemas,
    ...system,
    ...fulltext,
    ...curation,
    ...codegraph,
    ...memory,
    ...embeddings,
    ...vectors,
    ...vectorOperations,
    ...hybrid,
    ...webhooks,
    ...events,
    ...temporal,
    ...geo,
    ...spell,
    ...replication,
    ...cluster,
  },
});
