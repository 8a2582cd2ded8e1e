import { ServiceError } from '../../../errors/index.ts';
import { isSystemCollection } from '../../../lib/system-collection.ts';
import type { ModelService } from './model-tool.ts';

/** A collection as a list shows it. */
export interface KnownCollection {
  readonly name: string;
  /** Absent if the caller may not read the statistics. */
  readonly documents?: number;
}

/**
 * The collections that the caller may see: for administrators all with documents, otherwise those whose configuration
 * the caller may read.
 */
export async function collectionsOf(service: ModelService): Promise<KnownCollection[]> {
  try {
    const { collections } = await service.call('getStats', {});
    return collections.filter(({ name }) => !isSystemCollection(name)).map(({ name, documentCount }) => ({
      name,
      documents: documentCount,
    }));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  try {
    const { configs } = await service.call('listCollectionConfigs', {});
    return configs.map(({ collection }) => ({ name: collection })).filter(({ name }) => !isSystemCollection(name));
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
