import { ServiceError, type ErrorDetails } from '../../errors/index.ts';

/** Bodies that are kept elsewhere. What the column `backend` says of each is `backend:store:hash`, by which unused objects are found. */
export interface PlacedBody {
  readonly backend: string;
  /** Takes the place of the compression record. */
  readonly reference: Uint8Array;
}

/** Where bodies are kept that do not stay in the database. */
export interface BodyObjects {
  /** Keeps compression records for a collection, before the transaction that names them; undefined where they belong into the database. Rejects with `BodyUnavailable`. */
  place(collection: string, records: readonly Uint8Array[]): Promise<readonly PlacedBody[] | undefined>;
  /** The record that a reference names. Rejects with `BodyUnavailable`, or with `not_found` where it is lost for good. */
  fetch(reference: Uint8Array): Promise<Uint8Array>;
}

/** The place where bodies are kept cannot be reached for now: answered with 503 and `Retry-After`. */
export class BodyUnavailable extends ServiceError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('unavailable', message, details);
    this.name = 'BodyUnavailable';
  }
}

/** A body that was in memory only, and is gone with a restart. */
export class BodyLost extends ServiceError {
  constructor() {
    super('not_found', 'a body was kept in memory (storageBackend memory) and was lost when the server stopped: write the document again, delete it, or read it without its body');
    this.name = 'BodyLost';
  }
}
