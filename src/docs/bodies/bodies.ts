import { createHash, randomBytes } from 'node:crypto';
import type { Registry } from 'prom-client';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import type { Outbound } from '../../net/index.ts';
import { type ObjectStore, type S3Settings, S3Store, StoreFailure, targetOf } from '../../net/objects.ts';
import { type BodyObjects, BodyUnavailable, corrupt, readReference, type Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { BodyPlace } from './body-place.ts';
import { Collector } from './collector.ts';
import { MemoryBudget, MemoryStore } from './memory-store.ts';
import { type BodyCounts, registerMetrics } from './metrics.ts';
import { RecordCache } from './record-cache.ts';
import { SteadyStore } from './steady-store.ts';
import { deleteStore, findStore, insertStore, readStores, type StoreRecord, updateStore } from './store-rows.ts';

/** The part of a configuration that says where bodies are stored. */
export interface Placement {
  readonly storageBackend?: 'boltdb' | 'memory' | 's3';
  readonly storageConfig?: S3Settings;
}

/** Bodies outside of the database. */
export interface Bodies extends BodyObjects {
  /** Reads the list of places. Call it before the first use, and again after the database was replaced. */
  load(): Promise<void>;
  /** Whether some bodies are in the memory of the process that wrote them, where no other process can read them. */
  readonly isBoundToProcess: boolean;
  /** Throws `invalid_argument`, naming the field, when the requests to a bucket fail. Not within a transaction. */
  probe(placement: Placement): Promise<void>;
  /**
   * Inserts the place for which a collection is configured, within the transaction of that configuration. Later writes
   * go there.
   */
  remember(tx: Transaction, collection: string, placement: Placement): Promise<void>;
  /** Removes objects that no version refers to, in the background. Not for read-only servers. */
  work(): Promise<void>;
  /** Waits for running work; harmless when repeated. */
  stop(): Promise<void>;
  /** Runs one round of the background work. */
  collect(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

interface BodiesAreas {
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** The configuration of a collection, by its name in any letter case. */
  readonly configOf: (collection: string) => Placement | undefined;
  readonly timer?: Timer;
}

/** Defaults of absent settings. */
const DEFAULTS = {
  cacheBytes: 64 * 2 ** 20,
  memoryBytes: 256 * 2 ** 20,
  timeoutMs: 10_000,
  graceMs: 7 * 24 * 3_600_000,
};

/** Maximum time in milliseconds between the upload of a body and the transaction that refers to it. */
const SETTLED_MS = 600_000;

const TOKEN_BYTES = 12;
const SECRET_BYTES = 32;

type Environment = Pick<DocsEnvironment, 'sql' | 'clock' | 'log' | 'settings' | 'keys'>;

export function createBodies(env: Environment, areas: BodiesAreas): Bodies {
  return new BodyStores(env, areas);
}

class BodyStores implements Bodies {
  readonly #env: Environment;
  readonly #areas: BodiesAreas;
  readonly #limits: typeof DEFAULTS;
  readonly #cache: RecordCache;
  readonly #budget: MemoryBudget;
  readonly #collector: Collector;
  readonly #requests: BodyCounts['requests'] = new Map();
  /** By number. */
  #places = new Map<number, BodyPlace>();
  /** By token: the database can be replaced while the data in memory stay. */
  readonly #memories = new Map<string, MemoryStore>();
  /** Records that are being fetched, by the names of their objects. */
  readonly #fetching = new Map<string, Promise<Uint8Array>>();

  constructor(env: Environment, areas: BodiesAreas) {
    this.#env = env;
    this.#areas = areas;
    this.#limits = { ...DEFAULTS, ...env.settings.bodies };
    this.#cache = new RecordCache(this.#limits.cacheBytes);
    this.#budget = new MemoryBudget(this.#limits.memoryBytes);
    const { sql, clock, log } = env;
    this.#collector = new Collector({
      sql,
      clock,
      log,
      graceMs: this.#limits.graceMs,
      places: () => [...this.#places.values()],
      emptied: (place) => this.#emptied(place),
    });
  }

  async load(): Promise<void> {
    const records = await readStores(this.#env.sql, this.#env.keys);
    this.#places = new Map(records.map((record) => [record.id, this.#open(record)]));
  }

  get isBoundToProcess(): boolean {
    return [...this.#places.values()].some(({ record }) => record.kind === 'memory');
  }

  async probe({ storageBackend, storageConfig = {} }: Placement): Promise<void> {
    if (storageBackend === 's3')
      await probeBucket(storageConfig, { outbound: this.#areas.outbound, timeoutMs: this.#limits.timeoutMs });
  }

  async remember(tx: Transaction, name: string, placement: Placement): Promise<void> {
    const wanted = wantedOf(name, placement);
    if (wanted === undefined) return;
    const { keys } = this.#env;
    const found = await findStore(tx, wanted, keys);
    const record = found === undefined
      ? await insertStore(tx, {
        ...wanted,
        token: randomBytes(TOKEN_BYTES).toString('hex'),
        secret: randomBytes(SECRET_BYTES),
      }, keys)
      : { ...found, settings: wanted.settings };
    await updateStore(tx, record, keys);
    const elsewhere = await this.#renewCredentials(tx, record);
    tx.onCommit(() => [record, ...elsewhere].forEach((each) => this.#places.set(each.id, this.#open(each))));
  }

  place(collection: string, records: readonly Uint8Array[]) {
    const wanted = wantedOf(collection, this.#areas.configOf(collection));
    if (wanted === undefined) return undefined;
    const place = this.#find(wanted);
    if (place === undefined)
      throw new BodyUnavailable(
        `the place where ${wanted.collection} keeps its bodies is not known: configure it again`,
      );
    return Promise.all(records.map(async (record) => {
      const { name, ...placed } = await place.put(record);
      if (place.record.kind !== 'memory') this.#cache.set(name, record);
      return placed;
    }));
  }

  async fetch(reference: Uint8Array): Promise<Uint8Array> {
    const { store, hash, key } = readReference(reference);
    const place = this.#places.get(store);
    if (place === undefined) throw corrupt(`the place ${store} where it is kept is not known`);
    const name = Buffer.from(hash).toString('hex');
    if (place.record.kind === 'memory') return place.get(name, { hash, key });
    const known = this.#cache.get(name) ?? this.#fetching.get(name);
    if (known !== undefined) return known;
    const fetching = place.get(name, { hash, key }).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetching);
    const record = await fetching;
    this.#cache.set(name, record);
    return record;
  }

  async work(): Promise<void> {
    this.#collector.loop.start(this.#areas.timer);
  }

  stop(): Promise<void> {
    return this.#collector.loop.stop();
  }

  collect(): Promise<void> {
    return this.#collector.collect(new AbortController().signal);
  }

  registerMetrics(registers: Registry[]): void {
    registerMetrics(registers, {
      cache: this.#cache,
      memory: this.#budget,
      requests: this.#requests,
      collector: this.#collector,
      places: () => [...this.#places.values()],
    });
  }

  #find({ collection, kind, target }: Pick<StoreRecord, 'collection' | 'kind' | 'target'>): BodyPlace | undefined {
    return [...this.#places.values()].find(({ record }) =>
      record.collection === collection && record.kind === kind && record.target === target
    );
  }

  #open(record: StoreRecord): BodyPlace {
    const { clock, log } = this.#env;
    const onRequest: NonNullable<ConstructorParameters<typeof SteadyStore>[1]['onRequest']> = (operation, outcome) => {
      const label = `${operation} ${outcome}` as const;
      this.#requests.set(label, (this.#requests.get(label) ?? 0) + 1);
    };
    const deps = { clock, log, collection: record.collection, timer: this.#areas.timer ?? systemTimer };
    return new BodyPlace(record,
      new SteadyStore(this.#storeOf(record), record.kind === 'memory' ? deps : { ...deps, onRequest }), clock);
  }

  #storeOf({ kind, token, settings }: StoreRecord): ObjectStore {
    if (kind === 's3')
      return new S3Store(settings, {
        outbound: this.#areas.outbound,
        folder: token,
        timeoutMs: this.#limits.timeoutMs,
      });
    const store = this.#memories.get(token) ?? new MemoryStore(this.#env.clock, this.#budget);
    this.#memories.set(token, store);
    return store;
  }

  /** The collection's earlier places in the same bucket, under other prefixes, are read with its new credentials. */
  async #renewCredentials(tx: Transaction,
    { id, collection, kind, target, settings }: StoreRecord): Promise<StoreRecord[]>
  {
    if (kind !== 's3') return [];
    const bucketOf = (of: string): string => (JSON.parse(of) as string[]).slice(0, 2).join(' ');
    const { region, accessKey, secretKey } = settings;
    const others = [...this.#places.values()].map(({ record }) => record).filter((each) =>
      each.id !== id && each.collection === collection && each.kind === 's3' &&
      bucketOf(each.target) === bucketOf(target)
    ).map((each) => ({
      ...each,
      settings: {
        ...each.settings,
        ...(region !== undefined && { region }),
        ...(accessKey !== undefined && { accessKey }),
        ...(secretKey !== undefined && { secretKey }),
      },
    }));
    for (const each of others) await updateStore(tx, each, this.#env.keys);
    return others;
  }

  /** Deletes a place that its collection no longer uses and that is empty. */
  async #emptied({ record, lastPut }: BodyPlace): Promise<void> {
    const { sql, clock } = this.#env;
    // A transaction that is still to come may refer to a recently stored body.
    if (lastPut === undefined || clock.now() - lastPut < SETTLED_MS) return;
    const { id, collection, kind, target, token } = record;
    await sql.transaction(async (tx) => {
      const wanted = wantedOf(collection, this.#areas.configOf(collection));
      const isPresent = wanted?.kind === kind && wanted.target === target;
      const isNamed =
        (await tx.get(`SELECT 1 AS named WHERE ${NAMED}`,
          Array.from({ length: 3 }, () => [`${kind}:${id}:`, `${kind}:${id};`]).flat())) !== undefined;
      if (isPresent || isNamed) return;
      await deleteStore(tx, id);
      tx.onCommit(() => {
        this.#places.delete(id);
        this.#memories.delete(token);
      });
    });
  }
}

/** Whether any version refers to the place: a range condition on the `backend` of its bodies. */
const NAMED = ['documents', 'revisions', 'deleted_revisions'].map((table) =>
  `EXISTS (SELECT 1 FROM ${table} WHERE backend <> 'boltdb' AND backend >= ? AND backend < ?)`
).join(' OR ');

function wantedOf(collection: string,
  { storageBackend: kind = 'boltdb', storageConfig: settings = {} }: Placement = {}
): Pick<StoreRecord, 'collection' | 'kind' | 'target' | 'settings'> | undefined {
  if (kind === 'boltdb') return undefined;
  const name = collection.toLowerCase();
  return kind === 'memory'
    ? { collection: name, kind, target: '', settings: {} }
    : { collection: name, kind, target: targetOf(settings), settings };
}

/** Stores an object in a bucket, reads and removes it. Throws `invalid_argument` naming the wrong field. */
async function probeBucket(settings: S3Settings,
  { outbound, timeoutMs }: { readonly outbound: Pick<Outbound, 'fetch'>; readonly timeoutMs: number }): Promise<void>
{
  const content = randomBytes(32);
  const name = createHash('sha256').update(content).digest('hex');
  try {
    const store = new S3Store(settings, { outbound, timeoutMs, folder: 'probe' });
    await store.put(name, content);
    await requireSame(store, name, content);
    await store.remove(name);
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    throw new ServiceError('invalid_argument', `storageConfig.${error.field}: ${error.message}`, { cause: error });
  }
}

async function requireSame(store: S3Store, name: string, content: Buffer): Promise<void> {
  try {
    const read = await store.get(name);
    if (read === undefined || !content.equals(read))
      throw new StoreFailure('the service does not return what was put', { field: 'endpoint', passes: false });
  } catch (error) {
    await store.remove(name).catch(() => undefined);
    throw error;
  }
}
