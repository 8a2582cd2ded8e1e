import type { KeyCollision } from '../../../generated/docs/sdk/types.gen.ts';
import { type BatchItem, identify } from '../documents/index.ts';

/** An item, with the URL from which its key was derived; undefined if the key was given. */
export interface KeyedItem {
  readonly item: BatchItem;
  readonly url: string | undefined;
}

/** Items that name one document. */
interface Group {
  readonly lang: string;
  readonly keys: Set<string>;
  /** The URLs from which the key was derived, as they were written, by the page that they name. */
  readonly urls: Map<string, string>;
}

/**
 * Finds the items of a batch that name the same document: by keys that differ only in case (identity rule 3), or by
 * URLs of different pages with the same derived key. Items of the later pages are refused, so that no page overwrites
 * another. Items and collisions are in the order of the batch.
 */
export function findCollisions(collection: string,
  keyed: readonly KeyedItem[]): { items: BatchItem[]; keyCollisions: KeyCollision[] }
{
  const groups = new Map<string, Group>();
  const items = keyed.map(({ item, url }) => {
    const { key, lang } = item;
    if (key === undefined || lang === undefined) return item;
    const { id } = identify(collection, key, lang);
    const group = groups.get(id) ?? { lang, keys: new Set(), urls: new Map() };
    groups.set(id, group);
    group.keys.add(key);
    return url === undefined || isFirstPage(group, url) ? item : { ...item, refused: sameKey(group) };
  });
  const collisions = [...groups.values()].filter(({ keys, urls }) => keys.size > 1 || urls.size > 1);
  return { items, keyCollisions: collisions.map(toCollision) };
}

function isFirstPage({ urls }: Group, url: string): boolean {
  const page = pageOf(url);
  if (!urls.has(page)) urls.set(page, url);
  return urls.keys().next().value === page;
}

/** URLs name the same page if they differ only in their fragment, or in how the same address is written. */
function pageOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const page = new URL(url);
  page.hash = '';
  return page.href;
}

const SHOWN_URL = 200;

function sameKey({ urls }: Group): string {
  const first = urls.values().next().value!;
  const shown = first.length > SHOWN_URL ? `${first.slice(0, SHOWN_URL)}…` : first;
  return `url makes the key of ${shown}, which is in the same batch; give it a key of its own, or use keyFrom: url`;
}

function toCollision({ lang, keys, urls }: Group): KeyCollision {
  return { lang, keys: [...keys], ...(urls.size > 1 && { urls: [...urls.values()] }) };
}
