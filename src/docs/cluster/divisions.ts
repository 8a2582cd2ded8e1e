import { Pace } from '../../lib/pace.ts';
import type { Division } from '../view/index.ts';
import type { ClusterState } from './cluster-state.ts';
import { GRACE_MS } from './cluster.ts';
import type { Collections, DividingView } from './collections.ts';

/** What of a view has another number of partitions serve: see `CollectionView`. */
export interface SwitchingView extends DividingView {
  takeOver(collection: string, partitions: number): void;
  leaveFormer(collection: string): void;
}

interface DivisionsDeps {
  readonly views: readonly SwitchingView[];
  readonly collections: Pick<Collections, 'all'>;
  /** Milliseconds of a clock that never jumps. */
  readonly now?: (() => number) | undefined;
}

/**
 * Decides which number of partitions of a collection serves on this node, so that there is always one of which the
 * nodes have everything.
 */
export class Divisions {
  readonly #deps: DivisionsDeps;
  readonly #now: () => number;
  /** Since when collections that were divided anew keep their former partitions, by name. */
  readonly #formerSince = new Map<string, number>();

  constructor(deps: DivisionsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** Returns whether other units serve now. All views must be ready. Pauses between collections. */
  async follow(state: ClusterState): Promise<boolean> {
    const pace = new Pace();
    let hasChanged = false;
    for (const { name, id } of this.#deps.collections.all) {
      if (this.#followOne(state, name, id)) hasChanged = true;
      if (pace.isDue) await pace.rest();
    }
    return hasChanged;
  }

  /** The same for one collection. */
  #followOne(state: ClusterState, name: string, id: number): boolean {
    const { views } = this.#deps;
    const divisions = views.map((view) => view.divisionOf(name));
    const known = divisions.filter((each) => each !== undefined);
    if (known.length === 0) return false;
    const serving = servingOf(state, id, known);
    const others = views.filter((_, i) => divisions[i] !== undefined && divisions[i].serving !== serving);
    for (const view of others) view.takeOver(name, serving);
    if (known.some(({ former }) => former !== undefined)) this.#leaveFormer(name);
    else this.#formerSince.delete(name);
    return others.length > 0;
  }

  /** Other nodes may not have read yet that the new partitions are complete. */
  #leaveFormer(name: string): void {
    const since = this.#formerSince.get(name) ?? this.#now();
    this.#formerSince.set(name, since);
    if (this.#now() < since + GRACE_MS) return;
    this.#formerSince.delete(name);
    for (const view of this.#deps.views) view.leaveFormer(name);
  }
}

/**
 * The number of partitions that a collection is being divided into, once live nodes have all of them; until then the
 * present one, unless nodes have all of another one, as after a start that knew only the new one.
 */
function servingOf(state: ClusterState, collection: number, divisions: readonly Division[]): number {
  const { serving } = divisions[0]!;
  const next = divisions.find((each) => each.next !== undefined)?.next;
  if (next === undefined && !state.hasOtherDivision(collection, serving)) return serving;
  const complete = state.completeDivisionsOf(collection);
  if (next !== undefined && complete.includes(next)) return next;
  return complete.length === 0 || complete.includes(serving) ? serving : complete[0]!;
}
