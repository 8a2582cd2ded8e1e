import type { ProviderConfig } from '../../embedding/index.ts';
import type { EmbeddingSpace } from './space.ts';
import { SERVER_SPACE } from './vector-rows.ts';

/** The providers of spaces, by name; undefined for one that is to have none. */
export type WantedProviders = ReadonlyMap<string, ProviderConfig | undefined>;

/** The spaces in use: that of the server, and those that fields of collections name. */
export class Spaces {
  readonly #open: (name: string) => EmbeddingSpace;
  readonly #spaces = new Map<string, EmbeddingSpace>();

  constructor(open: (name: string) => EmbeddingSpace) {
    this.#open = open;
    this.#spaces.set(SERVER_SPACE, open(SERVER_SPACE));
  }

  get server(): EmbeddingSpace {
    return this.#spaces.get(SERVER_SPACE)!;
  }

  /** Undefined for a space that no field names. */
  get(name: string): EmbeddingSpace | undefined {
    return this.#spaces.get(name);
  }

  all(): Iterable<EmbeddingSpace> {
    return this.#spaces.values();
  }

  /** Whether any space has a provider, or is about to get it. */
  get areWanted(): boolean {
    return [...this.#spaces.values()].some(({ providers }) => providers.isWanted);
  }

  /** Opens the spaces of `wanted`. From now on their documents are queued, also before `configure`. */
  announce(wanted: WantedProviders): void {
    for (const [name, config] of wanted) {
      let space = this.#spaces.get(name);
      if (space === undefined) this.#spaces.set(name, space = this.#open(name));
      space.providers.announce(config);
    }
  }

  /** Uses the providers of `wanted`, and closes all spaces that are not in it. Returns the spaces that have changed. */
  async configure(wanted: WantedProviders): Promise<EmbeddingSpace[]> {
    const changed = [...this.#spaces.values()].filter(({ name, providers }) => providers.configure(wanted.get(name)));
    for (const [name, space] of this.#spaces) {
      if (name === SERVER_SPACE || wanted.has(name)) continue;
      this.#spaces.delete(name);
      await space.workers.stop();
      await space.jobs.stop();
      await space.close();
    }
    return changed;
  }

  async close(): Promise<void> {
    for (const space of this.#spaces.values()) await space.close();
  }
}
