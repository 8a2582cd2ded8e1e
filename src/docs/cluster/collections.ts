import { ServiceError } from '../../errors/index.ts';
import type { Queries } from '../../storage/index.ts';
import { listCollections } from '../stored-collections.ts';
import { numberOf, type SizedUnit, type UnitNumber, unitOf } from './unit.ts';

/** Bytes that the indexes of a document take where no node has announced how much it is. */
const BYTES_OF_DOCUMENT = 800;

interface CollectionsDeps {
  readonly sql: Queries;
  /** Number of partitions of a collection, by its lowercased name. */
  readonly partitionsOf: (collection: string) => number;
}

interface ListedUnit {
  /** Lowercased name of the collection. */
  readonly name: string;
  readonly unit: UnitNumber;
  readonly documents: number;
}

/** All collections that ever had a document, and their units. */
export class Collections {
  readonly #deps: CollectionsDeps;
  /** Names by numbers, as they were read last. */
  #names: ReadonlyMap<number, string> = new Map();
  #listed: readonly ListedUnit[] = [];
  #units: ReadonlyMap<string, UnitNumber> = new Map();

  constructor(deps: CollectionsDeps) {
    this.#deps = deps;
  }

  /** Reads all units, in the order of their numbers, with estimates of their sizes. */
  async units(): Promise<SizedUnit[]> {
    const { sql, partitionsOf } = this.#deps;
    const found = await listCollections(sql);
    this.#names = new Map(found.map(({ id, name }) => [id, name]));
    this.#listed = found.map(({ id, name, docs }) => ({
      name,
      unit: numberOf({ collection: id, partition: 0 }),
      documents: docs,
    }));
    this.#units = new Map(this.#listed.map(({ name, unit }) => [name, unit]));
    return found.filter(({ docs }) => docs > 0).sort((one, other) => one.id - other.id).flatMap(
      ({ id, name, docs }) => {
        const partitions = partitionsOf(name);
        const bytes = Math.ceil(docs / partitions) * BYTES_OF_DOCUMENT;
        return unitsFrom(id, partitions).map((unit) => ({ unit, bytes }));
      },
    );
  }

  /** All collections, as they were read last. */
  get listed(): readonly ListedUnit[] {
    return this.#listed;
  }

  /** The unit of a collection by its lowercased name; undefined if it was not there at the last reading. */
  unitOf(collection: string): UnitNumber | undefined {
    return this.#units.get(collection);
  }

  /** The name of a unit's collection. */
  nameOf(unit: UnitNumber): string {
    const { collection } = unitOf(unit);
    return this.#names.get(collection) ?? String(collection);
  }

  /** The units of a collection. Throws `not_found` if there is no such collection. */
  unitsOf(collection: string): UnitNumber[] {
    const name = collection.toLowerCase();
    const found = [...this.#names].find(([, each]) => each === name);
    if (found === undefined)
      throw new ServiceError('not_found', `collection: there is no collection ${collection} with documents`);
    return unitsFrom(found[0], this.#deps.partitionsOf(name));
  }

  /** The numbers of all collections, by lowercased names. */
  get numbers(): ReadonlyMap<string, number> {
    return new Map([...this.#names].map(([id, name]) => [name, id]));
  }
}

function unitsFrom(collection: number, partitions: number): UnitNumber[] {
  return Array.from({ length: partitions }, (_, partition) => numberOf({ collection, partition }));
}
