import { repairText } from '../../lib/utf8.ts';
import type { RawItem } from './item-rules.ts';
import type { Meta } from './meta.ts';

/**
 * An item with every text made valid Unicode, and whether that changed anything. Valid items, nearly all, are returned
 * unchanged.
 */
export function repairItem<T extends RawItem>(item: T): { item: T; repaired: boolean } {
  if (isWellFormed(item)) return { item, repaired: false };
  const texts = Object.entries(item).map(([field, value]) =>
    [field, typeof value === 'string' ? repairText(value) : value] as const
  );
  const repaired = Object.fromEntries(texts) as unknown as T;
  return { item: item.meta === undefined ? repaired : { ...repaired, meta: repairMeta(item.meta) }, repaired: true };
}

/** Without lists of entries, because every document of a batch passes here. */
function isWellFormed(item: RawItem): boolean {
  for (const field of Object.keys(item) as (keyof RawItem)[]) {
    const value = item[field];
    if (typeof value === 'string' && !value.isWellFormed()) return false;
  }
  const meta = item.meta ?? {};
  return Object.keys(meta).every((key) => key.isWellFormed() && meta[key]!.every(isTextWellFormed));
}

const isTextWellFormed = (text: string): boolean => text.isWellFormed();

/** Keys that become equal keep the values of both. */
function repairMeta(meta: Meta): Meta {
  const repaired = new Map<string, string[]>();
  for (const [key, values] of Object.entries(meta)) {
    const name = repairText(key);
    repaired.set(name, [...(repaired.get(name) ?? []), ...values.map(repairText)]);
  }
  return Object.fromEntries(repaired);
}
