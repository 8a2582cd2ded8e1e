import type { DocsSettings } from '../environment.ts';

/** The embedding settings with every default filled in (decision D-16). */
export type EmbeddingSettings = Required<Omit<NonNullable<DocsSettings['embedding']>, 'chunkMode' | 'cacheFolder'>>
  & Pick<NonNullable<DocsSettings['embedding']>, 'chunkMode' | 'cacheFolder'>;

const DEFAULTS: EmbeddingSettings = {
  provider: 'none', apiKey: '', apiUrl: '', model: '', dimensions: 0, offline: false,
  queueSize: 1000, queueWaitMs: 5000, chunkEnabled: true, chunkSize: 1500, cacheSize: 1024, cacheTtlMs: 3_600_000,
};

export function embeddingSettings({ embedding }: Pick<DocsSettings, 'embedding'>): EmbeddingSettings {
  return { ...DEFAULTS, ...embedding };
}
