import type { HybridRequest } from './request.ts';
import type { HybridDeps } from './search-hybrid.ts';

type Index = Pick<NonNullable<ReturnType<HybridDeps['words']['view']['indexOf']>>,
  'documentsOf' | 'documents' | 'matchesExactly'>;
type Request = Pick<HybridRequest, 'words'>;

/** How much rarer the rarest word of a query is than the next, from 0 to 1, and which of some documents have it. */
interface RareWord {
  readonly share: number;
  readonly has: ReadonlySet<number>;
}

/**
 * By how much a document has the one word of a query that is much rarer than the others, from 0 to 1: such a word is
 * probably the name of what is wanted, and neither vectors nor sums over many words give it enough weight.
 */
export function rareWordOf(index: Index | undefined, { words: { plan } }: Request,
  ords: readonly number[]): (ord: number) => number
{
  const found = index === undefined
    ? []
    : plan.readings.map((reading) => inReading(index, reading, ords)).filter((word) => word !== undefined);
  return (ord) => found.reduce((most, { share, has }) => (has.has(ord) ? Math.max(most, share) : most), 0);
}

function inReading(index: Index, { words = [], analyzer }: Request['words']['plan']['readings'][number],
  ords: readonly number[]): RareWord | undefined
{
  const rarities = words.map(({ form }) => ({
    form,
    rarity: rarityOf(index.documentsOf(form, analyzer), index.documents),
  })).filter(({ rarity }) => rarity > 0);
  const [first, second] = rarities.sort((a, b) => b.rarity - a.rarity);
  if (first === undefined || second === undefined) return undefined;
  const has = index.matchesExactly(first.form, analyzer, ords);
  return { share: 1 - second.rarity / first.rarity, has: new Set(ords.filter((_, i) => has[i])) };
}

/** Inverse document frequency, as in BM25; 0 for a word that no document has. */
function rarityOf(documents: number, all: number): number {
  return documents === 0 ? 0 : Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
}
