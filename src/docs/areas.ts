import { definer } from '../lib/areas.ts';
import { createOutbound, type Outbound } from '../net/index.ts';
import { type Access, createAccess } from './access/index.ts';
import type { Area, DocsComposition, Following } from './area.ts';
import { type Audit, createAudit } from './audit/index.ts';
import { type Automation, createAutomation } from './automation/index.ts';
import { type Bodies, createBodies } from './bodies/index.ts';
import { type ClusterArea, createClusterArea } from './cluster/index.ts';
import { type CodeGraphArea, createCodeGraph } from './codegraph/index.ts';
import { type Collections, ConfigCache, createCollections } from './collections/index.ts';
import { type ColumnsView, createColumns } from './columns/index.ts';
import { createCuration, type Curation } from './curation/index.ts';
import { createDocuments, type Documents } from './documents/index.ts';
import { createEmbeddings, type Embeddings } from './embeddings/index.ts';
import { createEncryption, type Encryption } from './encryption/index.ts';
import type { DocsEnvironment } from './environment.ts';
import { type Alarms, createAlarms, createEventStreams, type EventStreams, publishEvent } from './events/index.ts';
import { createFullText, createFullTextSearch, type FullText, type FullTextSearch } from './fulltext/index.ts';
import { createGeo, type Geo } from './geo/index.ts';
import { createHybrid, type Hybrid } from './hybrid/index.ts';
import { createIngest, type Ingest } from './ingest/index.ts';
import { createMaintenance, type Maintenance } from './maintenance/index.ts';
import { createMemory, type Memory } from './memory/index.ts';
import { createSchemas, type Schemas } from './schemas/index.ts';
import { SearchGate } from './search-gate.ts';
import type { Spell } from './spell/index.ts';
import { SearchStats } from './steps.ts';
import { createSystem, type System } from './system/index.ts';
import { createTemporal, type Temporal } from './temporal/index.ts';
import { createVectorFields, createVectorWorkers, type VectorFieldsArea,
  type VectorWorkers } from './vector-fields/index.ts';
import { createVectorOperations, createVectors, type Vectors } from './vectors/index.ts';
import { IndexMemory, Readiness } from './view/index.ts';
import { createWebhooks, type Webhooks } from './webhooks/index.ts';

/** What areas offer each other, by the names of the areas. */
export interface Areas {
  readonly access: Access;
  readonly alarms: Alarms;
  readonly audit: Audit;
  readonly automation: Automation;
  readonly bodies: Bodies;
  readonly checkpoints: Area;
  readonly cluster: ClusterArea;
  readonly codeGraph: CodeGraphArea;
  readonly collections: Collections;
  readonly columns: ColumnsView;
  readonly configs: ConfigCache;
  readonly curation: Curation;
  readonly documents: Documents;
  readonly embeddings: Embeddings;
  readonly encryption: Encryption;
  readonly events: EventStreams;
  readonly fullText: FullText;
  readonly gate: SearchGate;
  readonly geo: Geo;
  readonly hybrid: Hybrid;
  readonly indexMemory: IndexMemory;
  readonly ingest: Ingest;
  readonly maintenance: Maintenance;
  readonly memory: Memory;
  readonly outbound: Outbound;
  readonly readiness: Readiness;
  readonly replication: Area;
  readonly schemas: Schemas;
  readonly spell: Spell;
  readonly stats: SearchStats;
  readonly system: System;
  readonly temporal: Temporal;
  readonly vectorFields: VectorFieldsArea;
  readonly vectorOperations: Area;
  readonly vectors: Vectors;
  readonly vectorWorkers: VectorWorkers;
  readonly webhooks: Webhooks;
  readonly words: FullTextSearch;
}

/** What some areas need of all of them. */
type Whole = Pick<DocsComposition<Areas>, 'replaced' | 'changed' | 'sweeps' | 'registerMetrics'>;

const area = definer<Areas, Area, DocsEnvironment, Whole, Following>();

/** In the order in which they start, as far as what they need allows; they stop in the opposite order. */
export const AREAS = [
  area('outbound', [],
    ({ settings }) => createOutbound(settings.outbound ?? { allowPrivate: 'loopback', allowlist: [] })),
  // Ended sessions are among the settings.
  area('access', [], createAccess, {
    tables: ['settings', 'users', 'api_keys', 'user_groups', 'group_members', 'user_permissions', 'group_permissions',
      'mcp_keys', 'password_resets', 'oidc_subjects', 'roles', 'role_permissions', 'user_roles', 'group_roles'],
  }),
  area('alarms', [], (env) => createAlarms(env)),
  area('audit', [], (env) => createAudit(env)),
  // Before all views, so that it stops after them.
  area('checkpoints', [], ({ checkpoints }) => ({
    start: async () => checkpoints?.start(),
    work: () => checkpoints?.work(),
    stop: async () => checkpoints?.stop(),
    registerMetrics: (registers) => checkpoints?.registerMetrics(registers),
  })),
  area('stats', [], () => new SearchStats()),
  area('gate', [], ({ settings }) => new SearchGate({ places: settings.maxSearches })),
  area('configs', [], () => new ConfigCache()),
  area('bodies', ['outbound', 'configs'], (env, { outbound, configs }) => {
    const bodies = createBodies(env, { outbound, configOf: (name) => configs.get(name) });
    env.codec.connect(bodies);
    return bodies;
  }, { tables: ['body_stores'] }),
  area('collections', ['bodies', 'configs'], createCollections, { tables: ['collection_configs'] }),
  area('schemas', [], createSchemas, { tables: ['schemas'] }),
  area('embeddings', ['collections', 'outbound'], createEmbeddings, {
    changes: 'embedding_config',
    loadsLater: true,
    tables: ['embedding_configs'],
  }),
  area('columns', ['collections'], createColumns),
  area('geo', ['collections', 'columns'], createGeo, { changes: 'geo' }),
  area('fullText', ['columns', 'geo'], (env, { columns, geo }) => createFullText(env, { columns, geo: geo.view }), {
    tables: ['synonyms', 'stop_words'],
  }),
  area('curation', [], createCuration, { tables: ['curation_rules'] }),
  area('vectorWorkers', [], createVectorWorkers),
  area('vectorFields', ['collections', 'vectorWorkers'], createVectorFields),
  area('vectors', ['collections', 'embeddings', 'gate', 'columns', 'geo', 'vectorFields', 'vectorWorkers'],
    (env, { geo, ...needs }) => createVectors(env, { ...needs, geo: geo.view })),
  area('words', ['fullText', 'collections', 'curation', 'columns', 'geo', 'vectors'],
    (env, { geo, ...needs }) => createFullTextSearch(env, { ...needs, geo: geo.view })),
  // The key of the checksums is among the settings.
  area('documents', ['collections', 'columns', 'schemas', 'embeddings', 'words'],
    (env, { embeddings, words, ...needs }, whole) =>
      createDocuments(env, {
        ...needs,
        embeddingCapacity: embeddings.embeddingCapacity,
        preparation: words.preparation,
        sweeps: () => whole.sweeps(),
      }), { tables: ['settings'] }),
  area('webhooks', ['outbound', 'documents'], createWebhooks, {
    changes: 'webhook',
    loadsLater: true,
    tables: ['webhooks'],
  }),
  area('events', ['access', 'documents'],
    ({ feed }, { access, documents }) => createEventStreams({ feed, access, documents })),
  area('temporal', ['collections', 'documents'], createTemporal),
  area('ingest', ['access', 'collections', 'documents', 'outbound', 'words', 'columns', 'geo'],
    (env, { words, columns, geo, ...needs }) =>
      createIngest(env, {
        ...needs,
        converter: env.converter,
        caughtUp: async (signal) =>
          void (await Promise.all([words.view, columns, geo.view].map((view) => view.caughtUp(signal)))),
      })),
  area('codeGraph', ['columns'], createCodeGraph),
  area('spell', ['words'], (_env, { words }) => words.spell, {
    changes: 'dictionary',
    tables: ['dictionary_words'],
  }),
  area('vectorOperations', ['documents', 'collections', 'embeddings', 'vectors', 'gate', 'columns'], (env, needs) => ({
    handlers: createVectorOperations(env, needs),
  })),
  area('hybrid', ['words', 'vectors', 'embeddings', 'gate'],
    (_env, { embeddings, ...needs }) => createHybrid({ ...needs, chunker: embeddings })),
  area('automation', ['outbound', 'documents', 'words', 'vectors', 'hybrid'],
    (env, { words, ...needs }) => createAutomation(env, { ...needs, words: words.deps }), {
    changes: 'automation',
    loadsLater: true,
    tables: ['automation_rules'],
  }),
  area('memory', ['collections', 'embeddings', 'words', 'vectors', 'gate', 'columns'],
    (env, { vectors, ...needs }) => createMemory(env, { ...needs, meaning: vectors })),
  area('encryption', ['collections', 'memory'],
    (env, { collections, memory }) =>
      createEncryption(env, { collections, withhold: (collection, signal) => memory.withhold(collection, signal) })),
  area('maintenance', ['documents'],
    (env, { documents }, whole) => createMaintenance(env, { documents, onRestored: [() => whole.replaced()] })),
  area('readiness', ['words', 'vectors', 'vectorFields', 'columns', 'geo', 'cluster'],
    (_env, { words, vectors, vectorFields, columns, geo, cluster: { held } }) =>
      new Readiness(words.view, vectors.view, vectorFields.view, columns, geo.view, ...(held ? [held] : []))),
  area('indexMemory', ['words', 'vectors', 'vectorFields', 'columns', 'geo'],
    ({ settings: { restAfterMs = 0, indexMemory = 0 }, log }, { words, vectors, vectorFields, columns, geo }) =>
      new IndexMemory({
        views: [words.view, vectors.view, vectorFields.view, columns, geo.view],
        restAfterMs,
        limit: indexMemory,
        log,
      })),
  area('cluster', ['words', 'vectors', 'vectorFields', 'columns', 'geo'],
    (env, { words, vectors, vectorFields, columns, geo }) =>
      createClusterArea(env, {
        views: [words.view, vectors.view, vectorFields.view, columns, geo.view],
      })),
  area('replication', [], (env, _areas, whole) => ({
    handlers: env.replication?.handlers,
    start: async () =>
      env.replication?.start({
        publish: (event, detail) => publishEvent(env, event, detail),
        changed: (tables) => whole.changed(tables),
        replaced: () => whole.replaced(),
      }),
    stop: async () => env.replication?.stop(),
    registerMetrics: (registers) => env.replication?.registerMetrics(registers),
  })),
  area('system', ['documents', 'words', 'vectors', 'columns', 'geo', 'spell', 'embeddings', 'readiness'],
    (env, { documents, words, vectors, columns, geo, spell, embeddings, readiness }, whole) =>
      createSystem(env, {
        documents: { checksum: async (collection) => (await documents.reader.checksum(collection)).checksum },
        columns,
        readiness,
        embeddings: {
          describe: embeddings.describe,
          registerMetrics: (registers) => whole.registerMetrics(registers),
        },
        indexes: { fullText: words.view, vectors: vectors.view, columns, geo: geo.view, spelling: spell },
      })),
];
