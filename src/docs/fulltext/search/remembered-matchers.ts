import type { TextIndex } from '../view/text-index.ts';
import type { QueryPlan } from './query-plan.ts';
import { WordMatchers } from './word-matcher.ts';

type Index = Pick<TextIndex, 'formsLike' | 'version'>;

/** Bytes of the matchers that are remembered, about; and what each takes with none, and with one more form. */
const MOST_BYTES = 16 * 2 ** 20;
const OVERHEAD = 2048;
const BYTES_PER_FORM = 160;

interface Entry {
  /** Weak, so that nobody waits for the memory of an index that is dropped. */
  readonly index: WeakRef<Index>;
  readonly version: string;
  readonly matchers: WordMatchers['made'];
  readonly bytes: number;
}

/** The matchers of plans, which come again as the same objects (see `QueryPlans`), as long as their index is the same. */
export class RememberedMatchers {
  readonly #entries = new Map<QueryPlan, Entry>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The matchers of a plan, and how to remember them, unless they are too large, once they were used. */
  of(plan: QueryPlan, index: Index | undefined): { readonly matchers: WordMatchers; readonly keep: () => void } {
    if (index === undefined) return { matchers: new WordMatchers(plan), keep: () => undefined };
    const known = this.#entries.get(plan);
    const former = known?.index.deref() === index ? known : undefined;
    const { version } = index;
    const matchers = new WordMatchers(plan, index, former && { matchers: former.matchers, isCurrent: former.version === version });
    return { matchers, keep: () => this.#keep(plan, { index: former?.index ?? new WeakRef(index), version, matchers: matchers.made }) };
  }

  #keep(plan: QueryPlan, entry: Omit<Entry, 'bytes'>): void {
    this.#forget(plan);
    // A matcher without forms remembers any word that it has met.
    const forms = [...entry.matchers.values()].reduce((sum, { marks }) => sum + (marks?.forms.length ?? Infinity), 0);
    const bytes = OVERHEAD + forms * BYTES_PER_FORM;
    if (bytes > MOST_BYTES) return;
    this.#entries.set(plan, { ...entry, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(plan: QueryPlan): void {
    this.#bytes -= this.#entries.get(plan)?.bytes ?? 0;
    this.#entries.delete(plan);
  }
}
