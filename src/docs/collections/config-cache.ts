import { isSystemCollection } from '../../lib/system-collection.ts';
import type { CollectionConfig } from './collection-config.ts';

/** All configurations by lowercased name of the collection: every write needs them, so they stay in memory. */
export class ConfigCache {
  #configs = new Map<string, CollectionConfig>();

  get(collection: string): CollectionConfig | undefined {
    return this.#configs.get(collection.toLowerCase());
  }

  /** Undefined removes the entry. */
  set(name: string, config: CollectionConfig | undefined): void {
    if (config === undefined) this.#configs.delete(name);
    else this.#configs.set(name, config);
  }

  replace(configs: Iterable<readonly [string, CollectionConfig]>): void {
    this.#configs = new Map(configs);
  }

  all(): Iterable<readonly [string, CollectionConfig]> {
    return this.#configs;
  }

  /** By name, without those of the system. */
  list(): (readonly [string, CollectionConfig])[] {
    return [...this.#configs].filter(([name]) => !isSystemCollection(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
