import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import type { CollectionViewOptions } from './collection-view.ts';
import { MOST_AT_REST } from './index-memory.ts';
import { partitionsFor } from './partitions.ts';

/** What the views of a service have in common; `ending` and `magic` are those of `CheckpointFiles.beside`. */
export function viewOptions(
  { sql, keys, settings, checkpoints }: Pick<DocsEnvironment, 'sql' | 'keys' | 'settings' | 'checkpoints'>,
  collections: Pick<Collections, 'configOf'>,
  ending: string,
  magic: string,
): CollectionViewOptions {
  const files = CheckpointFiles.beside(sql, ending, magic);
  return {
    isSecret: (collection) => collections.configOf(collection)?.encrypted === true,
    keys,
    checkpoints: files,
    copies: files && checkpoints?.view(ending, files),
    partitions: (collection, present, documents) => {
      const partitions = collections.configOf(collection)?.partitions ?? 1;
      return partitions === 'auto' ? partitionsFor(documents(), present) : partitions;
    },
    mostAtRest: settings.indexMemory || settings.node?.holdsShare
      ? Infinity
      : settings.restAfterMs
      ? MOST_AT_REST
      : undefined,
  };
}
