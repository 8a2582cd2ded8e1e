import type { OperationId } from '../../generated/docs/operations.ts';
import type { Embeddings } from './embeddings/index.ts';
import type { DocsSettings } from './environment.ts';

const TEMPORAL: readonly OperationId[] = ['queryTemporal', 'listHotDocuments', 'getTemporalHistogram'];
const SPELLING: readonly OperationId[] = ['suggestSpelling', 'cleanSpelling', 'listDictionary', 'addDictionaryWords',
  'deleteDictionaryWords'];
/** Vector searches are not included, because they also accept a vector instead of a text. */
const EMBEDDING: readonly OperationId[] = ['reindexVectors', 'classifyDocument'];

/**
 * Returns a function that tells whether an operation currently refuses every call, because its feature is switched off
 * or has no provider.
 */
export function switchedOff({ temporal, spell }: Pick<DocsSettings, 'temporal' | 'spell'>,
  embeddings: Pick<Embeddings, 'describe'>): (operation: string) => boolean
{
  const settled = new Set<string>([...(temporal === true ? [] : TEMPORAL),
    ...(spell?.enabled === true ? [] : SPELLING)]);
  const embedding = new Set<string>(EMBEDDING);
  return (operation) => settled.has(operation) || (embedding.has(operation) && !embeddings.describe().vectors.enabled);
}
