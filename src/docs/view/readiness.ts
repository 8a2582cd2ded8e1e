import { ServiceError } from '../../errors/index.ts';

/** What readiness needs of a view: see `CollectionView`. */
interface Serving {
  readonly name: string;
  readonly isReady: boolean;
  readonly changed: Promise<void>;
}

interface ViewState {
  readonly name: string;
  readonly ready: boolean;
}

/** Reports whether every view serves, and when that changes. */
export class Readiness {
  readonly #views: readonly Serving[];

  constructor(...views: readonly Serving[]) {
    this.#views = views;
  }

  /** By the names of the views in messages. */
  get states(): ViewState[] {
    return this.#views.map(({ name, isReady }) => ({ name, ready: isReady }));
  }

  get isReady(): boolean {
    return this.#views.every(({ isReady }) => isReady);
  }

  /** Calls the listener with the present state, and with each new one after that. */
  follow(listener: (ready: boolean) => void): void {
    let reported: boolean | undefined;
    const report = (): void => {
      if (reported === this.isReady) return;
      reported = this.isReady;
      listener(reported);
    };
    const watch = async (view: Serving): Promise<never> => {
      for (;;) {
        const { changed } = view;
        report();
        await changed;
      }
    };
    for (const view of this.#views) void watch(view);
  }
}

/**
 * The refusal of a search of an index that rests here while other nodes have it in memory: they are asked, or `load`
 * brings it into the memory of this node.
 */
export class IndexElsewhere extends ServiceError {
  readonly collection: string;
  /** Rejects with `IndexLoading`, and with the signal's reason when that aborts. */
  readonly load: (signal: AbortSignal) => Promise<void>;

  /** `kind` is the name of the view in messages. */
  constructor(kind: string, collection: string, load: IndexElsewhere['load']) {
    super('index_loading', `the ${kind} index of ${collection} is in the memory of other nodes`, {
      headers: { 'Retry-After': '1' },
    });
    this.collection = collection;
    this.load = load;
  }
}

/** Does work in the background that reads indexes: those that other nodes hold are brought into memory here. */
export async function loadingHere<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof IndexElsewhere)) throw error;
      await error.load(signal);
    }
  }
}

/** The refusal of a search while an index that it needs is loading, with a promise for the time of a retry. */
export class IndexLoading extends ServiceError {
  /** Resolves when the view's indexes have changed, so that this one may serve. */
  readonly changed: Promise<void>;

  /** `kind` is the name of the view in messages. */
  constructor(kind: string, changed: Promise<void>) {
    super('index_loading', `the ${kind} index is still loading`, { headers: { 'Retry-After': '1' } });
    this.changed = changed;
  }
}
