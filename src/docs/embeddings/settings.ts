import type { PassageStyle } from '../../embedding/index.ts';
import type { DocsSettings } from '../environment.ts';

/** The embedding settings with every default filled in. */
export type EmbeddingSettings = Required<
  Omit<NonNullable<DocsSettings['embedding']>, 'chunkMode' | 'chunkSize' | 'cacheFolder'>
> & Pick<NonNullable<DocsSettings['embedding']>, 'chunkMode' | 'chunkSize' | 'cacheFolder'>;

/** Characters of a chunk if neither the settings nor the model specify them. */
const CHUNK_SIZE = 1500;

const DEFAULTS: EmbeddingSettings = {
  provider: 'none',
  apiKey: '',
  apiUrl: '',
  model: '',
  dimensions: 0,
  offline: false,
  queueSize: 1000,
  queueWaitMs: 5000,
  chunkEnabled: true,
  cacheSize: 1024,
  cacheTtlMs: 3_600_000,
  rerank: 'none',
  rerankBudgetMs: 300,
};

export function embeddingSettings({ embedding }: Pick<DocsSettings, 'embedding'>): EmbeddingSettings {
  return { ...DEFAULTS, ...embedding };
}

/** Maximum number of characters of a chunk: from the settings, otherwise what suits the model. */
export function chunkSizeOf({ chunkSize }: Pick<EmbeddingSettings, 'chunkSize'>,
  passages: PassageStyle | undefined): number
{
  return chunkSize ?? passages?.size ?? CHUNK_SIZE;
}
