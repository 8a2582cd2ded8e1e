/** Facts about the wiki in a dump that are needed to read its pages. */
export interface Site {
  /** Namespaces by lowercase name, with spaces; includes the canonical English names. */
  readonly namespaces: ReadonlyMap<string, number>;
}

export const FILE = 6;
export const CATEGORY = 14;

/** Names that every wiki supports in addition to its own (MediaWiki, `Language::getNamespaceIds`). */
const CANONICAL: readonly (readonly [string, number])[] = [['media', -2], ['special', -1], ['talk', 1], ['user', 2], [
  'user talk',
  3,
], ['project', 4], ['project talk', 5], ['file', FILE], ['image', FILE], ['file talk', 7], ['image talk', 7], [
  'mediawiki',
  8,
], ['mediawiki talk', 9], ['template', 10], ['template talk', 11], ['help', 12], ['help talk', 13], ['category',
  CATEGORY], ['category talk', 15], ['module', 828], ['module talk', 829]];

export function siteOf(names: Iterable<readonly [name: string, id: number]> = []): Site {
  const own = [...names].filter(([name]) => name !== '').map(([name, id]) => [name.toLowerCase(), id] as const);
  return { namespaces: new Map([...CANONICAL, ...own]) };
}

/** The namespace and name of a link's target; undefined if the text before the colon is not a namespace. */
export function namespaceOf({ namespaces }: Site, target: string): number | undefined {
  const colon = target.indexOf(':');
  if (colon <= 0 || colon > 80) return undefined;
  return namespaces.get(target.slice(0, colon).trim().replaceAll('_', ' ').toLowerCase());
}
