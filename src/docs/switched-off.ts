import { operations } from '../../generated/docs/operations.ts';
import type { OperationSpec } from '../operations/index.ts';
import type { Embeddings } from './embeddings/index.ts';
import type { DocsSettings } from './environment.ts';

const TABLE: Readonly<Record<string, OperationSpec>> = operations;

/**
 * Returns a function that tells whether an operation currently refuses every call, because its feature is switched off
 * or has no provider. Vector searches need none, because they accept a vector instead of a text.
 */
export function switchedOff({ temporal, spell }: Pick<DocsSettings, 'temporal' | 'spell'>,
  embeddings: Pick<Embeddings, 'describe'>): (operation: string) => boolean
{
  const isOff = {
    temporal: () => temporal !== true,
    spell: () => spell?.enabled !== true,
    embedding: () => !embeddings.describe().vectors.enabled,
  };
  return (operation) => {
    const feature = TABLE[operation]?.feature;
    return feature !== undefined && isOff[feature]();
  };
}
