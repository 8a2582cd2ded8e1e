/** The used part of the peers' interfaces, so that the code can be checked without installing them. */
declare module 'minisearch' {
  export default class MiniSearch<T> {
    constructor(
      options: { fields: string[]; tokenize?: (text: string) => string[];
        processTerm?: (term: string) => string | null },
    );
    add(document: T): void;
    search(query: string, options?: object): { id: unknown }[];
  }
}

declare module '@orama/orama' {
  export interface Results {
    count: number;
    hits: { id: string }[];
  }
  export function create(options: object): object;
  export function insert(db: object, document: object): unknown;
  export function search(db: object, parameters: object): Results;
}

declare module 'flexsearch' {
  interface Index {
    add(id: number, text: string): unknown;
    search(query: string, options: { limit: number; suggest?: boolean }): unknown[];
  }
  const FlexSearch: {
    Index: new(options: { tokenize: 'strict'; cache: boolean; encode: (text: string) => string[] }) => Index;
  };
  export default FlexSearch;
}

declare module 'hnswlib-node' {
  type Space = 'l2' | 'ip' | 'cosine';
  type Filter = (label: number) => boolean;
  interface Found {
    neighbors: number[];
    distances: number[];
  }
  interface BruteforceSearch {
    initIndex(maxElements: number): void;
    addPoint(point: number[], label: number): void;
    searchKnn(query: number[], k: number, filter?: Filter): Found;
  }
  interface HierarchicalNSW {
    initIndex(options: { maxElements: number; m: number; efConstruction: number; randomSeed: number }): void;
    addPoint(point: number[], label: number): void;
    markDelete(label: number): void;
    setEf(ef: number): void;
    searchKnn(query: number[], k: number, filter?: Filter): Found;
  }
  const hnswlib: {
    BruteforceSearch: new(space: Space, dims: number) => BruteforceSearch;
    HierarchicalNSW: new(space: Space, dims: number) => HierarchicalNSW;
  };
  export default hnswlib;
}

declare module 'usearch' {
  interface Matches {
    keys: BigUint64Array;
    distances: Float32Array;
  }
  interface Options {
    dimensions: number;
    metric: 'cos' | 'l2sq';
    quantization: 'f32';
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
    multi: boolean;
  }
  interface Index {
    add(keys: bigint | BigUint64Array, vectors: Float32Array, threads: number): void;
    remove(key: bigint): number;
    search(query: Float32Array, k: number, threads: number): Matches;
    save(file: string): void;
    load(file: string): void;
  }
  const usearch: {
    Index: new(options: Options) => Index;
    exactSearch(dataset: Float32Array, query: Float32Array, dims: number, k: number, metric: Options['metric'],
      threads: number): Matches;
  };
  export default usearch;
}

declare module '@lancedb/lancedb' {
  type Distance = 'l2' | 'cosine' | 'dot';
  interface VectorQuery {
    distanceType(distance: Distance): this;
    select(columns: string[]): this;
    limit(limit: number): this;
    where(condition: string): this;
    nprobes(lists: number): this;
    ef(width: number): this;
    refineFactor(factor: number): this;
    bypassVectorIndex(): this;
    toArrow(): Promise<{ getChild(name: string): Iterable<unknown> | null }>;
  }
  interface Table {
    add(rows: object): Promise<unknown>;
    createIndex(column: string, options: { config: Index; replace: boolean }): Promise<void>;
    query(): { nearestTo(vector: Float32Array): VectorQuery };
  }
  class Index {
    static hnswSq(options: { distanceType: Distance; numPartitions: number; m: number; efConstruction: number }): Index;
    static ivfPq(
      options: { distanceType: Distance; numPartitions: number; numSubVectors: number; maxIterations: number;
        sampleRate: number },
    ): Index;
  }
  function connect(folder: string): Promise<{ createTable(name: string, rows: object): Promise<Table> }>;
  export { connect, Index, type Table, type VectorQuery };
}

declare module 'apache-arrow' {
  type Type = object;
  type Data = object;
  export function makeData(
    of: { type: Type; length: number; nullCount: number; data?: Float32Array; child?: Data },
  ): Data;
  export function makeVector(of: Data | Int32Array): object;
  export const Float32: new() => Type;
  export const Field: new(name: string, type: Type, nullable: boolean) => object;
  export const FixedSizeList: new(length: number, field: object) => Type;
  export const Table: new(columns: Readonly<Record<string, object>>) => object;
}

declare module '@duckdb/node-api' {
  export type DuckDBValue = unknown;
  export interface DuckDBPreparedStatement {
    bindInteger(index: number, value: number): void;
    bindVarchar(index: number, value: string): void;
    runAndReadAll(): Promise<{ getRows(): DuckDBValue[][] }>;
  }
  interface Connection {
    run(sql: string): Promise<unknown>;
    prepare(sql: string): Promise<DuckDBPreparedStatement>;
  }
  export const DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<{ connect(): Promise<Connection> }>;
  };
}

declare module 'flatbush' {
  export default class Flatbush {
    constructor(items: number);
    add(minX: number, minY: number, maxX: number, maxY: number): number;
    finish(): void;
  }
}

declare module 'geoflatbush' {
  import type Flatbush from 'flatbush';
  export function around(index: Flatbush, lng: number, lat: number, maxResults?: number,
    maxKilometres?: number): number[];
  export function within(index: Flatbush, lng: number, lat: number, maxKilometres: number): number[];
}

declare module 'kdbush' {
  export default class KDBush {
    constructor(items: number);
    add(x: number, y: number): number;
    finish(): void;
  }
}

declare module 'geokdbush' {
  import type KDBush from 'kdbush';
  export function around(index: KDBush, lng: number, lat: number, maxResults?: number,
    maxKilometres?: number): number[];
}
