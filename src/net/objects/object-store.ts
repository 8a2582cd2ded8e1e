/** An object as a list shows it. */
export interface ListedObject {
  readonly name: string;
  /** When it was last put, in milliseconds since 1970. */
  readonly putAt: number;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** What the next page is asked for with; undefined for the last one. */
  readonly next: string | undefined;
}

/** A place for objects. Names are hexadecimal digits; what a name stands for never changes. */
export interface ObjectStore {
  /** Resolves once the object is kept; one that is there is put again. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Also resolves when there is none. */
  remove(name: string): Promise<void>;
  /** Pages of all objects, in no order. */
  list(from: string | undefined): Promise<ObjectPage>;
}

/** Which field of the configuration is wrong when a store refuses what it is asked. */
export type StorageField = 'endpoint' | 'bucket' | 'region' | 'accessKey' | 'secretKey' | 'prefix';

/** A store that does not do what it is asked. */
export class StoreFailure extends Error {
  readonly field: StorageField;
  /** Whether the same request may succeed later. */
  readonly passes: boolean;

  /** The message is for users: it holds no credential and no address that was resolved. */
  constructor(message: string, { field, passes, cause }: { readonly field: StorageField; readonly passes: boolean; readonly cause?: unknown }) {
    super(message, { cause });
    this.name = 'StoreFailure';
    this.field = field;
    this.passes = passes;
  }
}
