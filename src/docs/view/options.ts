import type { DocsEnvironment } from '../environment.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import type { CollectionViewOptions } from './collection-view.ts';
import { MOST_AT_REST } from './index-memory.ts';

/** What the views of a service have in common; `ending` and `magic` are those of `CheckpointFiles.beside`. */
export function viewOptions(
  { sql, keys, settings, checkpoints }: Pick<DocsEnvironment, 'sql' | 'keys' | 'settings' | 'checkpoints'>,
  collections: { configOf(collection: string): { readonly encrypted?: boolean } | undefined },
  ending: string,
  magic: string,
): CollectionViewOptions {
  const files = CheckpointFiles.beside(sql, ending, magic);
  return {
    isSecret: (collection) => collections.configOf(collection)?.encrypted === true,
    keys,
    checkpoints: files,
    copies: files && checkpoints?.view(ending, files),
    mostAtRest: settings.indexMemory ? Infinity : settings.restAfterMs ? MOST_AT_REST : undefined,
  };
}
