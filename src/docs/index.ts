import type { Operations } from '../../generated/docs/operations.ts';
import { createOutbound } from '../net/index.ts';
import { caughtUp as caughtUpStep, count, type Handlers, type InvokerOptions, note, patience,
  session } from '../operations/index.ts';
import { type Access, createAccess } from './access/index.ts';
import { type Audit, createAudit } from './audit/index.ts';
import { createAutomation } from './automation/index.ts';
import { type Bodies, createBodies } from './bodies/index.ts';
import { createCodeGraph } from './codegraph/index.ts';
import { type Collections, createCollections } from './collections/index.ts';
import { createColumns } from './columns/index.ts';
import { createCuration } from './curation/index.ts';
import { createDocuments, type Documents, keepChecksumKey } from './documents/index.ts';
import { Duty } from './duty.ts';
import { createEmbeddings } from './embeddings/index.ts';
import { createEncryption } from './encryption/index.ts';
import type { DocsEnvironment } from './environment.ts';
import { createAlarms, createEventStreams, publishEvent } from './events/index.ts';
import { Follower } from './follower.ts';
import { createFullText, createFullTextSearch, inputOfQuery, preparingSegments } from './fulltext/index.ts';
import { createGeo } from './geo/index.ts';
import { createHybrid } from './hybrid/index.ts';
import { createIngest } from './ingest/index.ts';
import { createMaintenance, FeedRetention, type Maintenance } from './maintenance/index.ts';
import { createMemory } from './memory/index.ts';
import { followNodes, laterOutside, untilDone } from './nodes.ts';
import type { RelayedNote } from './relay.ts';
import { followTables } from './replication/index.ts';
import { createSchemas } from './schemas/index.ts';
import { gateStep, SearchGate } from './search-gate.ts';
import { SearchStats } from './search-stats.ts';
import { createSpell } from './spell/index.ts';
import { switchedOff } from './switched-off.ts';
import { bytesOfChange, createSystem, type System } from './system/index.ts';
import { createTemporal } from './temporal/index.ts';
import { createVectorOperations, createVectors, type Vectors } from './vectors/index.ts';
import { IndexLoading, Readiness } from './view/index.ts';
import { createWebhooks } from './webhooks/index.ts';

export type { AuditSettings } from './audit/index.ts';
export type { DocsEnvironment, DocsSettings, ServerDescription } from './environment.ts';
export { announcer } from './nodes.ts';
export type { Relay, RelayedNote } from './relay.ts';
export { Replication, type ReplicationSettings } from './replication/index.ts';
export { summed } from './system/index.ts';
export type { Counted, McpDescription, OtherProcesses } from './system/index.ts';

/** Default number of milliseconds that a request waits for the LSN that it names. */
const MIN_LSN_WAIT_MS = 5000;

/** The document service without its protocols: its handlers and its background work. */
export interface DocumentService {
  readonly handlers: Handlers<Operations>;
  /** What this service adds to the pipeline of its calls. */
  readonly steps: NonNullable<InvokerOptions<Operations>['steps']>;
  /** Whether an operation currently refuses every call, because its feature is switched off or has no provider. */
  isOff(operation: string): boolean;
  readonly observeHttp: System['observeHttp'];
  readonly observeGrpc: System['observeGrpc'];
  /** Reports changes to documents as they happen. */
  readonly watch: Documents['watch'];
  readonly observeTool: System['observeTool'];
  readonly describeMcp: System['describeMcp'];
  readonly describeGrpc: System['describeGrpc'];
  /** Role and state of this node in replication. */
  readonly replication: DocsEnvironment['replication'];
  /** Whether all views are ready, and a notification when that changes. */
  readonly readiness: Pick<Readiness, 'follow' | 'isReady'>;
  /** Authentication and authorization; the guard is called before every operation. */
  readonly access: Omit<Access, 'handlers' | 'load' | 'stop'>;
  /** Call this with the outcome of each operation, for the audit log. */
  readonly observe: Audit['observe'];
  readonly observeUnidentified: Audit['observeUnidentified'];
  readonly observeRefusal: Audit['observeRefusal'];
  /** After this call the metrics are those of several processes. */
  readonly describeProcesses: System['describeProcesses'];
  /** Writes a verified backup with this name; rejects with `busy` while another one is being written. */
  readonly makeBackup: Maintenance['makeBackup'];
  /** After this call statistics and metrics include scheduled backups. */
  readonly describeBackups: System['describeBackups'];
  /** The counters of this process, for the metrics of the process that writes. */
  readonly countersOf: System['counters'];
  /** Stores a note from a read-only process. */
  receive(note: RelayedNote): void;
  /** In a read-only process: resolves when all changes that others have committed are loaded. */
  refresh(): Promise<void>;
  /** Whether this process can handle reads: its indexes are ready, and no body is in the memory of another process. */
  readonly canRead: boolean;
  /**
   * Ends the streams of events. Call it before the protocols stop, because they wait for running responses. Harmless
   * when repeated.
   */
  endStreams(): void;
  /** Stops the background work and waits for it; harmless when repeated. */
  stop(): Promise<void>;
}

/** Wires the areas together over one database, which must be migrated. */
export async function createDocumentService(env: DocsEnvironment): Promise<DocumentService> {
  const access = createAccess(env);
  const outbound = createOutbound(env.settings.outbound ?? { allowPrivate: 'loopback', allowlist: [] });
  const bodies: Bodies = createBodies(env, { outbound, configOf: (name) => collections.configOf(name) });
  env.codec.connect(bodies);
  const collections: Collections = createCollections(env, { bodies });
  const encryption = createEncryption(env, {
    collections,
    withhold: (collection, signal) => memory.withhold(collection, signal),
  });
  const audit = createAudit(env);
  const schemas = createSchemas(env);
  const embeddings = createEmbeddings(env, { collections, outbound, indexReady: () => vectors.view.isReady });
  const columns = createColumns(env, { collections });
  const preparation = preparingSegments({
    fieldNames: (collection) => search.deps.view.indexOf(collection)?.fieldNames ?? [],
  });
  const documents = createDocuments(env, {
    collections,
    columns,
    schemas,
    embeddingCapacity: embeddings.embeddingCapacity,
    preparation,
  });
  const webhooks = createWebhooks(env, { outbound, documents });
  const alarms = createAlarms(env);
  const streams = createEventStreams({ feed: env.feed, access, documents });
  const temporal = createTemporal(env, { collections, documents });
  const caughtUp = async (signal: AbortSignal): Promise<void> =>
    void (await Promise.all([search.view, columns, geo.view].map((view) => view.caughtUp(signal))));
  const ingest = createIngest(env, { access, collections, documents, caughtUp, outbound, converter: env.converter });
  const geo = createGeo(env, { collections, columns });
  const fullText = createFullText(env, { columns, geo: geo.view });
  const curation = createCuration(env);
  const codeGraph = createCodeGraph(env, { columns });
  const search = createFullTextSearch(env, { fullText, collections, curation, columns, geo: geo.view });
  const spell = createSpell(env, { words: search.deps });
  const gate = new SearchGate({ places: env.settings.maxSearches });
  const vectors: Vectors = createVectors(env, { collections, embeddings, gate, columns, geo: geo.view });
  const hybrid = createHybrid({ words: search, vectors, chunker: embeddings, gate });
  const automation = createAutomation(env, { outbound, documents, words: search.deps, vectors, hybrid });
  const memory = createMemory(env, { collections, embeddings, words: search, meaning: vectors, gate, columns });
  const configured = [access, collections, bodies, schemas, documents, fullText, curation];
  const reload = async (): Promise<void> => {
    for (const area of [...configured, webhooks, automation, spell]) await area.load();
  };
  const onReplaced = [reload, () => temporal.restart(), encryption.check, () => search.view.restart(),
    () => columns.restart(), () => geo.view.restart(), () => vectors.view.restart(), () => embeddings.restart()];
  const onRestored = [...onReplaced, async () => ingest.jobs.wake()];
  const maintenance = createMaintenance(env, { documents, onRestored });
  const isNode = env.isNode === true;
  // On a node that writes, these loads may wait for a turn to write; the caller that loads changes must not wait for
  // that.
  const later = isNode ? laterOutside(env.log) : (load: () => Promise<void>) => load();
  const stopping = new AbortController();
  const everything = async (): Promise<void> => {
    for (const hook of onRestored) await hook();
  };
  const follower = new Follower(env, {
    areas: {
      dictionary: () => spell.load(),
      embedding_config: () => later(() => embeddings.restart()),
      geo: () => geo.follow(),
      webhook: () => later(() => webhooks.load()),
      automation: () => later(() => automation.load()),
    },
    ...(isNode && { kept: new Set(['webhook', 'automation']) }),
    others: async () => {
      access.forget();
      for (const area of isNode ? configured.slice(1) : configured) await area.load();
    },
    everything: () => later(everything),
    async rewound() {
      env.log.warn({}, 'the database has lost changes that this node knew; everything in memory is read again');
      await later(() => untilDone(everything, env.log, stopping.signal));
    },
  });
  const checksum = async (collection: string) => (await documents.reader.checksum(collection)).checksum;
  const retention = env.settings.feed &&
    new FeedRetention({ ...env, limits: env.settings.feed, bytesOfChange: () => bytesOfChange(env.sql) });
  const stats = env.settings.searchStats ? new SearchStats() : undefined;
  const registerMetrics: typeof embeddings.registerMetrics = (registers) => {
    embeddings.registerMetrics(registers);
    vectors.registerMetrics(registers);
    ingest.jobs.registerMetrics(registers);
    stats?.registerMetrics(registers);
    audit.registerMetrics(registers);
    webhooks.registerMetrics(registers);
    automation.registerMetrics(registers);
    temporal.registerMetrics(registers);
    bodies.registerMetrics(registers);
    env.replication?.registerMetrics(registers);
  };
  const readiness = new Readiness(search.view, vectors.view, columns, geo.view);
  const indexBytesOf = (collection: string) =>
    whereKnown({
      fullText: search.view.bytesOf(collection),
      vectors: vectors.view.bytesOf(collection),
      columns: columns.bytesOf(collection),
      geo: geo.view.bytesOf(collection),
      spelling: spell.bytesOf(collection),
    });
  const system = createSystem(env, {
    documents: { checksum },
    columns,
    indexBytesOf,
    readiness,
    embeddings: { describe: embeddings.describe, registerMetrics },
  });
  await follower.begin();
  // Other processes write the databases of workers and followers.
  if (env.relay === undefined && env.replication?.refusal === undefined) await keepChecksumKey(env.sql);
  await reload();
  await encryption.check();
  // This comes first, because invalid settings end the start here, when nothing is running yet.
  await embeddings.start();
  await columns.start();
  await geo.view.start();
  await search.view.start();
  await vectors.view.start();
  // In read mode nothing may write, so nothing is swept; expired documents are hidden anyway.
  if (env.settings.mode !== 'read' && !isNode) documents.startSweep(undefined, [memory.sweep]);
  const findWords = spell.correcting(search.handlers.searchFullText, collections.configOf);
  const handlers: Handlers<Operations> = {
    ...access.handlers,
    ...collections.handlers,
    ...schemas.handlers,
    ...documents.handlers,
    ...ingest.handlers,
    ...maintenance.handlers,
    ...system.handlers,
    ...fullText.handlers,
    ...curation.handlers,
    ...codeGraph.handlers,
    ...search.handlers,
    ...geo.handlers,
    ...spell.handlers,
    searchFullText: findWords,
    searchFullTextByQuery: async (input, context) => findWords(inputOfQuery(input), context),
    ...embeddings.handlers,
    ...encryption.handlers,
    ...audit.handlers,
    ...webhooks.handlers,
    ...automation.handlers,
    ...streams.handlers,
    ...temporal.handlers,
    ...env.replication?.handlers,
    ...vectors.handlers,
    ...createVectorOperations(env, { documents, embeddings, vectors, gate, columns }),
    ...hybrid.handlers,
    searchHybrid: spell.correctingHybrid(hybrid.handlers.searchHybrid, hybrid.wordsOf, collections.configOf),
    ...memory.handlers,
  };
  await audit.start();
  const work = async (): Promise<void> => {
    await bodies.start();
    await encryption.start();
    ingest.jobs.start();
    await webhooks.start();
    await automation.start();
    temporal.start();
    retention?.loop.start();
    void geo.start();
    void maintenance.start();
  };
  const duty = isNode && env.settings.mode !== 'read'
    ? new Duty({
      ...env,
      peers: env.sql.peers!,
      async begin() {
        env.log.info({}, 'this node does the work in the background');
        documents.startSweep(undefined, [memory.sweep]);
        await embeddings.takeDuty();
        await work();
      },
      look() {
        ingest.jobs.wake();
        // the next look tries again
        for (const area of [webhooks, automation, encryption]) void area.wake().catch(() => undefined);
      },
      lost: () => env.onDutyLost?.(),
    })
    : undefined;
  if (env.settings.mode !== 'read') {
    alarms.start();
    if (duty === undefined) await work();
  }
  const nodes = isNode ? followNodes(env, (queries) => follower.refresh(queries)) : undefined;
  await duty?.start();
  // The old changes of a follower's feed are pruned when its own indexes have read them, independently of the leader.
  if (env.replication?.role === 'follower') retention?.loop.start();
  env.replication?.start({
    publish: (event, detail) => publishEvent(env, event, detail),
    changed: followTables({
      access,
      documents,
      collections,
      bodies,
      schemas,
      fullText,
      curation,
      webhooks,
      automation,
      spell,
      embeddings: { load: () => embeddings.restart() },
    }),
    async replaced() {
      for (const hook of onReplaced) await hook();
    },
  });
  const views = { words: search.view, columns, places: geo.view, vectors: vectors.view };
  const documentsOf = (collection: string): number => search.deps.view.indexOf(collection)?.documents ?? 0;
  return {
    handlers,
    steps: {
      count: stats && count((...search) => stats.record(...search)),
      patience: patience((error) => (error instanceof IndexLoading ? error.changed : undefined)),
      session: session({
        feed: env.feed,
        views: Object.values(views),
        waitMs: env.settings.minLsnWaitMs ?? MIN_LSN_WAIT_MS,
      }),
      gate: gateStep(gate, documentsOf),
      caughtUp: caughtUpStep(views),
      note: temporal.note && note(temporal.note),
    },
    isOff: switchedOff(env.settings, embeddings),
    readiness,
    replication: env.replication,
    observeHttp: system.observeHttp,
    observeGrpc: system.observeGrpc,
    watch: documents.watch,
    observeTool: system.observeTool,
    describeMcp: system.describeMcp,
    describeGrpc: system.describeGrpc,
    describeProcesses: system.describeProcesses,
    makeBackup: maintenance.makeBackup,
    describeBackups: system.describeBackups,
    countersOf: system.counters,
    access,
    observe(outcome) {
      audit.observe(outcome);
      alarms.observe(outcome);
    },
    receive(note) {
      if (note.kind === 'audit') audit.receive(note);
      else if (note.kind === 'key-use') access.recordKeyUse(note.hash);
      else alarms.receive(note.operation);
    },
    refresh: () => follower.refresh(),
    get canRead() {
      return readiness.isReady && !bodies.isBoundToProcess;
    },
    observeUnidentified: audit.observeUnidentified,
    observeRefusal: audit.observeRefusal,
    endStreams: () => streams.stop(),
    async stop() {
      stopping.abort();
      await nodes?.stop();
      await env.replication?.stop();
      await retention?.loop.stop();
      await ingest.jobs.stop();
      await alarms.stop();
      await temporal.stop();
      await automation.stop();
      await webhooks.stop();
      await encryption.stop();
      await audit.stop();
      await access.stop();
      await documents.stop();
      await embeddings.stop();
      await search.view.stop();
      await columns.stop();
      await geo.stop();
      await geo.view.stop();
      await vectors.stop();
      await bodies.stop();
      await duty?.stop();
      await outbound.close();
    },
  };
}

function whereKnown(numbers: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
