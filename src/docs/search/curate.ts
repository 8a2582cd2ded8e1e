import { unixSeconds } from '../../lib/clock.ts';
import type { Row } from '../../storage/index.ts';
import { type CurationRule, hidesFor, type Pin, pinsFor, withoutPins } from '../curation/index.ts';
import type { DocsEnvironment } from '../environment.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'clock'>;

/** A document that rules hide or pin. */
interface NamedDocument extends Row {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
}

/** A document that a pin may select. */
export interface PinnedDocument {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  /** Whether it is shown even if it does not pass the filters. */
  readonly ignoresFilters: boolean;
}

/** What the matching rules of a query select, determined before the search. */
export interface CuratedSearch {
  readonly rules: readonly CurationRule[];
  /** Ordinals that must not be found. */
  readonly hidden: readonly number[];
  /** Documents of all pins, by id. A pin without a language selects every language. */
  readonly pinned: readonly PinnedDocument[];
}

/** Maximum number of names in one statement. */
const STEP = 100;

interface SearchOfWords {
  readonly collection: string;
  readonly query: string;
  /** Whether pages are by cursor: these pin nothing. */
  readonly byCursor: boolean;
}

/** Expired documents are neither hidden nor pinned, because they count as absent. */
export async function curateSearch(environment: Environment, { collection, query, byCursor }: SearchOfWords,
  all: readonly CurationRule[]): Promise<CuratedSearch>
{
  if (all.length === 0) return { rules: all, hidden: [], pinned: [] };
  const rules = byCursor ? withoutPins(all) : all;
  const name = collection.toLowerCase();
  const [hides, pins] = [hidesFor(query, rules), pinsFor(query, rules)];
  const hidden = await byKeys(environment, name, [...hides]);
  const pinned = await byKeys(environment, name, [...new Set(pins.map(({ key }) => key.toLowerCase()))]);
  return {
    rules,
    hidden: hidden.map(({ ord }) => ord),
    pinned: pinned.flatMap(({ ord, key, lang }) => {
      const own = pins.filter((pin) => isMeant({ key, lang }, pin));
      return own.length === 0
        ? []
        : [{ ord, key, lang, ignoresFilters: own.some(({ ignoreFilters }) => ignoreFilters) }];
    }),
  };
}

/** Whether a pin selects a document. */
export function isMeant({ key, lang }: { readonly key: string; readonly lang: string }, pin: Pin): boolean {
  return key.toLowerCase() === pin.key.toLowerCase() &&
    (pin.lang === undefined || lang.toLowerCase() === pin.lang.toLowerCase());
}

async function byKeys({ sql, clock }: Environment, collection: string,
  keys: readonly string[]): Promise<NamedDocument[]>
{
  const found: NamedDocument[] = [];
  for (let i = 0; i < keys.length; i += STEP) {
    const some = keys.slice(i, i + STEP);
    // An id is collection, key and language, joined by `|`; `}` is the next character after `|`.
    const bounds = some.flatMap((key) => [`${collection}|${key}|`, `${collection}|${key}}`]);
    found.push(
      ...await sql.all<NamedDocument>(`SELECT ord, key, lang FROM documents WHERE (${
        some.map(() => '(id > ? AND id < ?)').join(' OR ')
      }) AND (expires_at IS NULL OR expires_at > ?) ORDER BY id`, [...bounds, unixSeconds(clock)]),
    );
  }
  return found;
}
