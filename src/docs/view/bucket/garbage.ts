import type { Clock, Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { Loop } from '../../../lib/loop.ts';
import type { ObjectStore } from '../../../net/objects.ts';
import type { Sql } from '../../../storage/index.ts';
import { collectionOf } from '../partitions.ts';
import type { Manifest } from './manifest.ts';
import { type ListedManifest, listManifests, manifestAt, newest } from './shelf.ts';

/** Objects that nothing names are kept for this long: an upload under way may need them. */
export const GRACE_MS = 6 * 3_600_000;

interface GarbageDeps {
  readonly store: ObjectStore;
  readonly sql: Pick<Sql, 'all'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timer: Timer;
}

/**
 * Removes what nobody needs: segments that no manifest names, manifests of earlier epochs, those that are damaged or
 * lack a segment, and those of collections that do not exist.
 *
 * A segment goes when it is old and two rounds have found it unnamed. An upload uses only segments that it has stored
 * itself within `LONGEST_UPLOAD_MS`, and those that the manifest names which it replaces.
 */
export class Garbage {
  readonly #deps: GarbageDeps;
  readonly loop: Loop;
  /** What the last round found to be unneeded. */
  #suspects: ReadonlySet<string> = new Set();
  removed = 0;
  failures = 0;

  constructor(deps: GarbageDeps) {
    this.#deps = deps;
    const { log, timer } = deps;
    const failure = 'unused parts of checkpoints could not be removed; a later round tries again';
    this.loop = new Loop({ name: 'unused checkpoints', everyMs: GRACE_MS, waitsFirst: true, failure, log, timer },
      (signal) => this.collect(signal));
  }

  /** One round. */
  async collect(signal: AbortSignal): Promise<void> {
    try {
      const before = this.removed;
      await this.#round(signal);
      const removed = this.removed - before;
      if (removed > 0) this.#deps.log.info({ removed }, 'unused parts of checkpoints were removed');
    } catch (error) {
      if (!signal.aborted) this.failures += 1;
      throw error;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { store, sql, clock } = this.#deps;
    const before = clock.now() - GRACE_MS;
    const { listed, others } = await listManifests(store, 'manifests/');
    // After the list: a manifest of a new collection is not taken for one of none.
    const rows = await sql.all<{ name: string }>('SELECT name FROM collections');
    const collections = new Set(rows.map(({ name }) => name));
    const suspects = new Set<string>();
    const doubtful: { readonly name: string; readonly putAt: number }[] = [...others];
    const current = new Map<string, Manifest>();
    for (const [index, manifests] of Map.groupBy(listed, (each) => each.index)) {
      signal.throwIfAborted();
      const first = newest(manifests)!;
      const manifest = await this.#needed(first, collections);
      if (manifest !== undefined) current.set(index, manifest);
      doubtful.push(...manifests.filter((each) => each !== first || manifest === undefined).map(toObject));
    }
    const named = new Map<string, string>();
    for (const [index, { segments }] of current)
      for (const { hash } of segments) named.set(`segments/${index}/${hash}`, index);
    for (let from: string | undefined;;) {
      const page = await store.list(from, 'segments/');
      doubtful.push(...page.objects.filter(({ name }) => !named.delete(name)));
      from = page.next;
      if (from === undefined) break;
    }
    // What is left of the names are segments that are missing.
    const incomplete = new Set(named.values());
    doubtful.push(...listed.filter(({ index }) => incomplete.has(index)).map(toObject));
    for (const { name, putAt } of doubtful) {
      signal.throwIfAborted();
      if (putAt > before) continue;
      if (this.#suspects.has(name)) await this.#remove(name);
      else suspects.add(name);
    }
    this.#suspects = suspects;
  }

  /** Undefined for one that is damaged, or of no collection. */
  async #needed({ path }: ListedManifest, collections: ReadonlySet<string>): Promise<Manifest | undefined> {
    const manifest = await manifestAt(this.#deps.store, path);
    return manifest !== undefined && collections.has(collectionOf(manifest.header.collection)) ? manifest : undefined;
  }

  async #remove(name: string): Promise<void> {
    await this.#deps.store.remove(name);
    this.removed += 1;
  }
}

const toObject = ({ path, putAt }: ListedManifest) => ({ name: path, putAt });
