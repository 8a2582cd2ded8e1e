/** An object in a list. */
export interface ListedObject {
  readonly name: string;
  /** When it was last put, in milliseconds since 1970. */
  readonly putAt: number;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Token with which the next page is requested; undefined for the last page. */
  readonly next: string | undefined;
}

/** A store for objects. Names consist of hexadecimal digits; the content of a name never changes. */
export interface ObjectStore {
  /** Resolves when the object is stored; an existing object is written again. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined if there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Also resolves if there is none. */
  remove(name: string): Promise<void>;
  /** Pages of all objects, in no particular order. */
  list(from: string | undefined): Promise<ObjectPage>;
}

/** The configuration field that is wrong if a store refuses a request. */
export type StorageField = 'endpoint' | 'bucket' | 'region' | 'accessKey' | 'secretKey' | 'prefix';

/** A store that refuses or fails a request. */
export class StoreFailure extends Error {
  readonly field: StorageField;
  /** Whether the same request may succeed later. */
  readonly passes: boolean;

  /** The message is shown to users: it contains no credential and no resolved address. */
  constructor(message: string,
    { field, passes, cause }: { readonly field: StorageField; readonly passes: boolean; readonly cause?: unknown })
  {
    super(message, { cause });
    this.name = 'StoreFailure';
    this.field = field;
    this.passes = passes;
  }
}
