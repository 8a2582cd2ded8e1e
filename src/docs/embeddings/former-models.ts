import { type EmbeddingProvider, isBuiltinModel } from '../../embedding/index.ts';
import type { CreateProvider } from './providers.ts';
import type { ModelIdentity } from './vector-rows.ts';

/**
 * The `builtin` models other than the current one. They are always available, so a collection with vectors of another
 * of these models is searched with that model until it has been embedded again.
 */
export class FormerModels {
  readonly #create: CreateProvider;
  readonly #open = new Map<string, EmbeddingProvider>();

  constructor(create: CreateProvider) {
    this.#create = create;
  }

  /**
   * A provider for the model that most documents of a collection have, which is the first of `present`; undefined if
   * the current provider must be used.
   */
  for(current: EmbeddingProvider | undefined, present: readonly ModelIdentity[]): EmbeddingProvider | undefined {
    const [most] = present;
    if (current?.name !== 'builtin' || most === undefined || !isBuiltinModel(most)) return undefined;
    if (most.model === current.model && most.variant === current.variant) return undefined;
    let provider = this.#open.get(most.model);
    if (provider === undefined)
      this.#open.set(most.model, provider = this.#create({ provider: 'builtin', model: most.model }));
    return provider;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((provider) => provider.close()));
    this.#open.clear();
  }
}
