import type { KeyCollision } from '../../../generated/docs/sdk/types.gen.ts';
import { identify, type BatchItem } from '../documents/index.ts';

/** The keys of a batch that differ only in case, and so name one document (identity rule 3), in the order of the batch. */
export function keyCollisions(collection: string, items: readonly BatchItem[]): KeyCollision[] {
  const groups = new Map<string, { lang: string; keys: Set<string> }>();
  for (const { key, lang } of items) {
    if (key === undefined || lang === undefined) continue;
    const { id } = identify(collection, key, lang);
    const group = groups.get(id) ?? { lang, keys: new Set<string>() };
    groups.set(id, group);
    group.keys.add(key);
  }
  return [...groups.values()].filter(({ keys }) => keys.size > 1).map(({ lang, keys }) => ({ lang, keys: [...keys] }));
}
