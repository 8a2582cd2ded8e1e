import { collapseSpace, type CurationRule, type Pin } from './curation-rule.ts';

/** The fields of a result that curation needs; handlers pass results with more. */
export interface Hit {
  readonly key: string;
  readonly lang: string;
  readonly score: number;
}

/** A result in its final position; `pinned` is true if a rule put it there. */
export type Curated<H extends Hit> = H & { readonly pinned?: true };

/** The combined effect of all rules that match a query. */
interface Curation {
  readonly hides: ReadonlySet<string>;
  readonly pins: readonly RulePin[];
}

/** A pin with what its rule says of filters. */
interface RulePin extends Pin {
  readonly ignoreFilters: boolean;
}

/**
 * The results of a query after curation: every enabled rule that matches applies, in the order of `createdAt`, and
 * hides override pins (decisions section 4.5). `rules` are those of the collection in that order.
 *
 * A pinned result is exactly at its position, if there are enough results. If two pins have the same position, the
 * earlier one gets it and the other gets the next free one; a document that is pinned twice follows its first pin. A
 * pin without language means the best result of its key in any language.
 *
 * `organic` are the results of the search, best first. They may be a prefix of all matches: the first n results are
 * correct if the prefix has n results that are neither hidden nor pinned, or contains all matches. `find` returns the
 * document of a pin that is not among them, or undefined if it must not be shown; a handler gives it score 0 unless the
 * document matches after the prefix.
 */
export function applyCuration<H extends Hit>(query: string, organic: readonly H[], rules: readonly CurationRule[],
  find: (pin: Pin) => H | undefined): Curated<H>[]
{
  if (rules.length === 0) return [...organic];
  const { hides, pins } = curationOf(query, rules);
  const shown = organic.filter(({ key }) => !hides.has(key.toLowerCase()));
  const placed = placePins(shown, pins, find);
  const taken = new Set(placed.map(({ hit }) => identityOf(hit)));
  const rest = shown.filter((hit) => !taken.has(identityOf(hit)));
  return weave(rest, placed);
}

/** Rules that only hide, for pages by cursor: these list all results once, in their order. */
export function withoutPins(rules: readonly CurationRule[]): readonly CurationRule[] {
  return rules.map((rule) => ({ ...rule, pins: [] }));
}

/**
 * The pins of matching rules, without hidden ones, in the order in which they apply: the documents that a search must
 * have ready for `find`.
 */
export function pinsFor(query: string, rules: readonly CurationRule[]): readonly RulePin[] {
  return curationOf(query, rules).pins;
}

/** The lowercased keys that matching rules hide, so that a search can leave them out of its counts. */
export function hidesFor(query: string, rules: readonly CurationRule[]): ReadonlySet<string> {
  return curationOf(query, rules).hides;
}

function curationOf(query: string, rules: readonly CurationRule[]): Curation {
  const matching = rules.filter((rule) => rule.enabled && matches(rule, query));
  const hides = new Set(matching.flatMap((rule) => rule.hides.map((key) => key.toLowerCase())));
  const pins = matching.flatMap(({ pins: own, ignoreFilters }) =>
    own.filter(({ key }) => !hides.has(key.toLowerCase())).map((pin) => ({ ...pin, ignoreFilters }))
  );
  return { hides, pins };
}

function matches({ query, matchMode }: CurationRule, asked: string): boolean {
  const [own, sent] = [collapseSpace(query).toLowerCase(), collapseSpace(asked).toLowerCase()];
  return matchMode === 'exact' ? sent === own : sent.includes(own);
}

interface Placed<H extends Hit> {
  readonly hit: Curated<H>;
  readonly position: number;
}

/** The documents of the pins, each once, with its first position. */
function placePins<H extends Hit>(shown: readonly H[], pins: readonly Pin[],
  find: (pin: Pin) => H | undefined): Placed<H>[]
{
  if (pins.length === 0) return [];
  const byKey = Map.groupBy(shown, ({ key }) => key.toLowerCase());
  const placed = new Map<string, Placed<H>>();
  for (const pin of pins) {
    const hit = foundByPin(byKey, pin) ?? find(pin);
    if (hit === undefined || placed.has(identityOf(hit))) continue;
    placed.set(identityOf(hit), { hit: { ...hit, pinned: true }, position: pin.position });
  }
  return [...placed.values()];
}

function foundByPin<H extends Hit>(byKey: ReadonlyMap<string, readonly H[]>, { key, lang }: Pin): H | undefined {
  const candidates = byKey.get(key.toLowerCase());
  return lang === undefined
    ? candidates?.[0]
    : candidates?.find((hit) => hit.lang.toLowerCase() === lang.toLowerCase());
}

/** No key contains a `|`, the separator of ids. */
function identityOf({ key, lang }: Hit): string {
  return `${key}|${lang}`.toLowerCase();
}

/**
 * The results with the pins in their positions. After the last result, the remaining pins follow in the order of their
 * positions.
 */
function weave<H extends Hit>(organic: readonly H[], placed: readonly Placed<H>[]): Curated<H>[] {
  const places = takePlaces(placed.filter(({ position }) => position > 0));
  const results: Curated<H>[] = [];
  let next = 0;
  for (const [place, hit] of [...places].sort(([a], [b]) => a - b)) {
    const gap = organic.slice(next, next + Math.max(0, place - 1 - results.length));
    next += gap.length;
    results.push(...gap, hit);
  }
  const appended = placed.filter(({ position }) => position <= 0).map(({ hit }) => hit);
  return [...results, ...organic.slice(next), ...appended];
}

/** Gives each pin its position, or the next free one. */
function takePlaces<H extends Hit>(placed: readonly Placed<H>[]): Map<number, Curated<H>> {
  const places = new Map<number, Curated<H>>();
  for (const { hit, position } of placed) {
    let place = position;
    while (places.has(place)) place++;
    places.set(place, hit);
  }
  return places;
}
