import { afterEach, beforeEach } from 'vitest';
import { type PartLink, readEach } from '../../search/parts/index.ts';
import { BodyUnavailable, type Change } from '../../storage/index.ts';
import { skipOrdinals } from '../../testkit/ordinals.ts';
import { type DRIVERS, Fixture } from '../documents/test-fixture.ts';
import { filledCollections } from '../stored-collections.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import { CollectionView, type CollectionViewOptions } from './collection-view.ts';
import { andInPartition, type Partition } from './partitions.ts';
import type { Effect, Entry, ListedCollection, ViewIndex, ViewKind } from './view-kind.ts';

export const MAGIC = 'QTEST001';

/** The languages of documents by ordinal: a minimal index. */
class Languages implements ViewIndex {
  readonly byOrd: Map<number, string>;
  closed = 0;

  constructor(entries: Iterable<[number, string]> = []) {
    this.byOrd = new Map(entries);
  }

  get documents(): number {
    return this.byOrd.size;
  }

  get bytes(): number {
    return this.byOrd.size * 2;
  }

  remove(ord: number): void {
    this.byOrd.delete(ord);
  }

  async *save(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify([...this.byOrd]));
  }

  close(): void {
    this.closed += 1;
  }
}

/** What a search reads of an index. */
type Reading = Pick<Languages, 'documents'> & { readonly byOrd: ReadonlyMap<number, string> };

class JoinedLanguages implements Reading {
  readonly #parts: readonly Reading[];
  /** Parts that are prepared to be read together. */
  #prepared = 0;

  constructor(parts: readonly Reading[]) {
    this.#parts = parts;
  }

  /** Reads one part; false when all were read. */
  prepareNext(): boolean {
    if (this.#prepared === this.#parts.length) return false;
    void this.#parts[this.#prepared]!.documents;
    this.#prepared += 1;
    return true;
  }

  get byOrd(): ReadonlyMap<number, string> {
    return new Map(readEach(this.#parts, ({ byOrd }) => [...byOrd]).flat());
  }

  get documents(): number {
    return this.byOrd.size;
  }
}

/** An index in the memory of another node. */
class ElsewhereLanguages implements Reading {
  readonly #link: PartLink;

  constructor(link: PartLink) {
    this.#link = link;
  }

  get byOrd(): ReadonlyMap<number, string> {
    return this.#link.known('byOrd');
  }

  get documents(): number {
    return this.#link.known('documents');
  }
}

export type TestView = CollectionView<Languages, Reading, Reading>;

export interface Row {
  readonly [column: string]: string | number;
  readonly ord: number;
  readonly lang: string;
}

/** A kind that records its calls, and fails on demand. */
export class TestKind implements ViewKind<Languages, Reading, Reading> {
  readonly name = 'language';
  readonly reindexChange = 'test.reindex';
  /** Languages put into indexes, in order. */
  readonly puts: string[] = [];
  readonly created: Languages[] = [];
  /** How often indexes were joined. */
  joins = 0;
  /** Whether joined indexes are prepared part by part before they are searched. */
  isPrepared = false;
  /** Called before each document that a build reads. */
  beforeScan: (lang: string) => Promise<void> | void = () => {};
  poison: string | undefined;
  /** The language of a document whose body cannot be read. */
  outOfReach: string | undefined;
  /** Whether the body that a change carries replaces the language in the tables. */
  takesWhatChangesBring = false;
  /** Number of steps until a document is added. */
  steps = 0;
  /** Called at each of these steps. */
  onStep: (lang: string, index: Languages) => void = () => {};
  readonly #sql: Fixture['sql'];

  constructor({ sql }: Fixture) {
    this.#sql = sql;
  }

  create(): Languages {
    const index = new Languages();
    this.created.push(index);
    return index;
  }

  async restore(_: string, bytes: AsyncIterable<Uint8Array>): Promise<Languages> {
    const all = await Array.fromAsync(bytes);
    return new Languages(JSON.parse(Buffer.concat(all).toString()) as [number, string][]);
  }

  join(parts: readonly Reading[]): Reading {
    this.joins += 1;
    return new JoinedLanguages(parts);
  }

  warm(joined: Reading): boolean {
    return this.isPrepared && joined instanceof JoinedLanguages && joined.prepareNext();
  }

  standIn(link: PartLink): Reading {
    return new ElsewhereLanguages(link);
  }

  answer(index: Languages, method: string): unknown {
    if (method === 'byOrd') return index.byOrd;
    if (method === 'documents') return index.documents;
    throw new RangeError(`there is no method ${method}`);
  }

  effectOf({ kind }: Change): Effect | undefined {
    const effects: Record<string, Effect> = { 'doc.put': 'read', 'test.look': 'read', 'doc.delete': 'remove' };
    return effects[kind];
  }

  collections(): Promise<readonly ListedCollection[]> {
    return filledCollections(this.#sql);
  }

  entryOf({ ord, document }: Change): Entry<Languages> | undefined {
    return document === undefined || !this.takesWhatChangesBring
      ? undefined
      : this.#toEntry({ ord: ord!, lang: document.contentMd });
  }

  async *entriesOf(ords: readonly number[]): AsyncGenerator<Entry<Languages>> {
    for (const ord of ords) {
      const row = await this.#sql.get<Row>('SELECT ord, lang FROM documents WHERE ord = ?', [ord]);
      if (row !== undefined) yield this.#toEntry(row);
    }
  }

  async *allEntries(partition: Partition): AsyncGenerator<Entry<Languages>> {
    const { collection } = partition;
    for (const row of await this.#sql.all<Row>(
      `SELECT ord, lang FROM documents WHERE id > ? || '|' AND id < ? || '}' ${andInPartition(partition)} ORDER BY id`,
      [collection, collection],
    )) {
      await this.beforeScan(row.lang);
      yield this.#toEntry(row);
    }
  }

  #toEntry({ ord, lang }: Row): Entry<Languages> {
    if (lang === this.outOfReach) throw new BodyUnavailable('the bucket is down');
    return {
      ord,
      addTo: (index) => {
        if (lang === this.poison) throw new Error('no room');
        let left = this.steps;
        const step = (): boolean => {
          if (left > 0) this.onStep(lang, index);
          if (left-- > 0) return true;
          this.puts.push(lang);
          index.byOrd.set(ord, lang);
          return false;
        };
        return step() ? step : undefined;
      },
    };
  }
}

/**
 * Views over the documents of a fixture, which is opened before each test of a suite and closed after it, with the
 * views.
 */
export class Views {
  fixture!: Fixture;
  readonly #views: TestView[] = [];

  constructor(driver: (typeof DRIVERS)[number]) {
    beforeEach(async () => {
      this.fixture = await Fixture.open(driver);
    });
    afterEach(async () => {
      for (const view of this.#views.splice(0)) await view.stop();
      await this.fixture.close();
    });
  }

  readonly open = (kind = new TestKind(this.fixture),
    options: CollectionViewOptions = {}): { view: TestView; kind: TestKind } =>
  {
    const view = new CollectionView(this.fixture.environment, kind, {
      checkpoints: CheckpointFiles.beside(this.fixture.sql, 'test', MAGIC),
      ...options,
    });
    this.#views.push(view);
    return { view, kind };
  };

  readonly started = async (kind?: TestKind,
    options?: CollectionViewOptions): Promise<{ view: TestView; kind: TestKind }> =>
  {
    const opened = this.open(kind, options);
    await opened.view.start();
    await opened.view.settled();
    return opened;
  };

  /** The view uses only the language; `lang` stands for a version. */
  readonly add = (lang: string, key = 'k', collection = 'c') =>
    this.fixture.call('addDocument', { collection, key, lang, contentMd: 'x' });

  readonly remove = (lang: string, key = 'k', collection = 'c') =>
    this.fixture.call('deleteDocument', { collection, key, lang });

  /** The next document that is added gets this ordinal. */
  readonly skipTo = (ord: number): Promise<void> => skipOrdinals(this.fixture.sql, ord);

  readonly append = (change: Parameters<Fixture['feed']['append']>[1][number]) =>
    this.fixture.sql.transaction((tx) => this.fixture.feed.append(tx, [change]).then(() => undefined));
}

/** The languages in the index of a collection, sorted. */
export function languages(view: TestView, collection = 'c'): string[] | undefined {
  const index = view.indexOf(collection);
  return index && [...index.byOrd.values()].sort();
}
