import { DatabaseSync } from 'node:sqlite';

/** Notices writes to a server's database, of any kind and at the cost of a pragma, through a connection of its own. */
export class WatchedWrites {
  readonly #database: DatabaseSync;
  #version: unknown;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
  }

  /** Whether another connection has committed a write since the last call; `true` for the first one. */
  sawAny(): boolean {
    const version = this.#database.prepare('PRAGMA data_version').get()!['data_version'];
    const isNew = version !== this.#version;
    this.#version = version;
    return isNew;
  }

  close(): void {
    this.#database.close();
  }
}
