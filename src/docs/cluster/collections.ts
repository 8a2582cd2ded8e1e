import { ServiceError } from '../../errors/index.ts';
import type { Queries } from '../../storage/index.ts';
import { listCollections } from '../stored-collections.ts';
import type { Division, Partition } from '../view/index.ts';
import { numberOf, type SizedUnit, type UnitNumber, unitOf, unitsFrom } from './unit.ts';

/** Bytes that the indexes of a document take where no node has announced how much it is. */
const BYTES_OF_DOCUMENT = 800;

/** What of a view says into how many partitions it divides collections: see `CollectionView`. */
export interface DividingView {
  divisionOf(collection: string): Division | undefined;
}

interface CollectionsDeps {
  readonly sql: Queries;
  readonly views: readonly DividingView[];
}

interface ListedCollection {
  /** Lowercased. */
  readonly name: string;
  readonly id: number;
  readonly documents: number;
}

/** A unit that this node may hold. */
export interface ListedUnit {
  readonly partition: Partition;
  readonly unit: UnitNumber;
  /** About how many it has. */
  readonly documents: number;
}

/** All collections that ever had a document, and their units. */
export class Collections {
  readonly #deps: CollectionsDeps;
  /** As they were read last. */
  #byName: ReadonlyMap<string, ListedCollection> = new Map();
  #names: ReadonlyMap<number, string> = new Map();
  #listed: readonly ListedUnit[] = [];

  constructor(deps: CollectionsDeps) {
    this.#deps = deps;
  }

  /** Reads all units, in the order of their numbers, with estimates of their sizes. */
  async units(): Promise<SizedUnit[]> {
    const found = await listCollections(this.#deps.sql);
    this.#byName = new Map(found.map(({ id, name, docs }) => [name, { name, id, documents: docs }]));
    this.#names = new Map(found.map(({ id, name }) => [id, name]));
    this.#listed = [...this.#byName.values()].flatMap((each) => this.#unitsOf(each));
    return this.#listed.filter(({ documents }) => documents > 0).map(({ unit, documents }) => ({
      unit,
      bytes: documents * BYTES_OF_DOCUMENT,
    })).sort((one, other) => one.unit - other.unit);
  }

  /** The units of all collections, as they were read last; while one is divided anew, the former and the new ones. */
  get listed(): readonly ListedUnit[] {
    return this.#listed;
  }

  /** All collections, as they were read last. */
  get all(): Iterable<ListedCollection> {
    return this.#byName.values();
  }

  /** Documents of a collection by its lowercased name; undefined if it was not there at the last reading. */
  documentsOf(collection: string): number | undefined {
    return this.#byName.get(collection)?.documents;
  }

  /** The unit of a partition; undefined if its collection was not there at the last reading. */
  unitOf({ collection, number, of }: Partition): UnitNumber | undefined {
    const found = this.#byName.get(collection);
    return found && numberOf({ collection: found.id, partition: number, partitions: of });
  }

  /** The units that searches of a collection read, by its lowercased name; none if it was not there. */
  servingUnitsOf(collection: string): UnitNumber[] {
    const found = this.#byName.get(collection);
    const division = this.#divisions(collection)[0];
    return found === undefined ? [] : unitsFrom(found.id, division?.serving ?? 1);
  }

  /** The name of a unit's collection. */
  nameOf(unit: UnitNumber): string {
    const { collection } = unitOf(unit);
    return this.#names.get(collection) ?? String(collection);
  }

  /** The units of a collection. Throws `not_found` if there is no such collection. */
  unitsOf(collection: string): UnitNumber[] {
    const found = this.#byName.get(collection.toLowerCase());
    if (found === undefined)
      throw new ServiceError('not_found', `collection: there is no collection ${collection} with documents`);
    return this.#unitsOf(found).map(({ unit }) => unit);
  }

  #unitsOf({ name, id, documents }: ListedCollection): ListedUnit[] {
    const divisions = this.#divisions(name).flatMap(({ serving, next, former }) => [serving, next, former]);
    const numbers = new Set(divisions.filter((each) => each !== undefined));
    if (numbers.size === 0) numbers.add(1);
    return [...numbers].flatMap((of) =>
      unitsFrom(id, of).map((unit, number) => ({
        partition: { collection: name, number, of },
        unit,
        documents: Math.ceil(documents / of),
      }))
    );
  }

  /** In the views that have something of the collection. */
  #divisions(collection: string): Division[] {
    return this.#deps.views.flatMap((view) => view.divisionOf(collection) ?? []);
  }
}
