import { type ErrorDetails, ServiceError } from '../../errors/index.ts';

/**
 * Bodies that are kept outside the database. The column `backend` of each holds `backend:store:hash`, by which unused
 * objects are found.
 */
export interface PlacedBody {
  readonly backend: string;
  /** Stored in place of the compression record. */
  readonly reference: Uint8Array;
}

/** Where bodies are kept that are not stored in the database. */
export interface BodyObjects {
  /**
   * Stores compression records for a collection, before the transaction that refers to them. Undefined, or resolves to
   * it, if they belong in the database. Throws or rejects with `BodyUnavailable`.
   */
  place(collection: string, records: readonly Uint8Array[]): Promise<readonly PlacedBody[] | undefined> | undefined;
  /**
   * Returns the record that a reference names. Rejects with `BodyUnavailable`, or with `not_found` if it is lost
   * permanently.
   */
  fetch(reference: Uint8Array): Promise<Uint8Array>;
}

/** The store of bodies cannot be reached at present: returned as 503 with `Retry-After`. */
export class BodyUnavailable extends ServiceError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('unavailable', message, details);
    this.name = 'BodyUnavailable';
  }
}

/** A body that was kept in memory only, and was lost with a restart. */
export class BodyLost extends ServiceError {
  constructor() {
    super('not_found',
      'a body was kept in memory (storageBackend memory) and was lost when the server stopped: write the document ' +
        'again, delete it, or read it without its body');
    this.name = 'BodyLost';
  }
}
