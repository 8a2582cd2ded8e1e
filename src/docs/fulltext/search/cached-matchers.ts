import type { TextIndex } from '../view/text-index.ts';
import type { QueryPlan } from './query-plan.ts';
import { WordMatchers } from './word-matcher.ts';

type Index = Pick<TextIndex, 'formsLike' | 'version'>;

/** Approximate maximum bytes of remembered matchers, bytes of one without forms, and bytes of each form. */
const MOST_BYTES = 16 * 2 ** 20;
const OVERHEAD = 2048;
const BYTES_PER_FORM = 160;

interface Entry {
  /** Weak, so that a dropped index can be collected at once. */
  readonly index: WeakRef<Index>;
  readonly version: string;
  readonly matchers: WordMatchers['made'];
  readonly bytes: number;
}

/**
 * The matchers of plans, which are reused as the same objects (see `QueryPlans`), as long as their index is the same.
 */
export class CachedMatchers {
  readonly #entries = new Map<QueryPlan, Entry>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the matchers of a plan, and a function that remembers those that were used, unless they are too large. */
  of(plan: QueryPlan, index: Index | undefined): { readonly matchers: WordMatchers; readonly keep: () => void } {
    if (index === undefined) return { matchers: new WordMatchers(plan), keep: () => undefined };
    const known = this.#entries.get(plan);
    const former = known?.index.deref() === index ? known : undefined;
    const { version } = index;
    const isCurrent = former?.version === version;
    const matchers = new WordMatchers(plan, index, former && { matchers: former.matchers, isCurrent });
    const keep = (): void => {
      const made = isCurrent ? new Map([...former.matchers, ...matchers.made]) : matchers.made;
      if (made.size > 0) this.#keep(plan, { index: former?.index ?? new WeakRef(index), version, matchers: made });
    };
    return { matchers, keep };
  }

  #keep(plan: QueryPlan, entry: Omit<Entry, 'bytes'>): void {
    this.#forget(plan);
    // A matcher without forms caches every word that it has met.
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
