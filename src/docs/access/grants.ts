import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Permission } from '../../operations/index.ts';

/** Permissions on one collection, or on all of them: `*`. */
export interface Grant {
  /** Lowercased. */
  readonly collection: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly admin: boolean;
}

export const ALL_COLLECTIONS = '*';

/**
 * The permissions of a user: the user's own, those of the user's groups and those of roles of either, added up by
 * collection. If there is a sum for a collection, only that counts; otherwise the sum for `*` counts, except for
 * collections of the system (contract section 5, rule 8; decisions sections 2.4 and 5.1).
 */
export class Grants {
  readonly #byCollection = new Map<string, Grant>();

  constructor(grants: Iterable<Grant>) {
    for (const grant of grants) this.#add(grant);
  }

  /** Whether `admin` on all collections is granted, which makes the user an administrator of the server. */
  get areThoseOfAdmin(): boolean {
    return this.#byCollection.get(ALL_COLLECTIONS)?.admin === true;
  }

  /** Letter case does not matter. */
  may(permission: Permission, collection: string): boolean {
    return this.entryFor(collection)?.[permission] === true;
  }

  /** The sum that counts for a collection; undefined if nothing is granted. */
  entryFor(collection: string): Grant | undefined {
    const name = collection.toLowerCase();
    return this.#byCollection.get(name) ??
      (isSystemCollection(name) ? undefined : this.#byCollection.get(ALL_COLLECTIONS));
  }

  /** Whether the permission is granted on any collection that is not one of the system. */
  mayAnywhere(permission: Permission): boolean {
    return [...this.#byCollection.values()].some((grant) => !isSystemCollection(grant.collection) && grant[permission]);
  }

  #add({ collection, read, write, admin }: Grant): void {
    const other = this.#byCollection.get(collection);
    this.#byCollection.set(collection, {
      collection,
      read: read || other?.read === true,
      write: write || other?.write === true,
      admin: admin || other?.admin === true,
    });
  }
}
