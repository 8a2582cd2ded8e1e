import type { DocsEnvironment } from '../environment.ts';
import { CollectionView, type CollectionViewOptions } from './collection-view.ts';
import type { ViewIndex, ViewKind } from './view-kind.ts';

/** Receives a promise for the end of all uses of the memory of an index that the view has released. */
export type OnClose = (closing: Promise<void>) => void;

/** A view whose indexes go on using workers for a moment after they were released. */
export class ClosingView<Index extends ViewIndex & Readable & Part, Readable = Index, Part = Index>
  extends CollectionView<Index, Readable, Part>
{
  readonly #closing: Set<Promise<void>>;

  constructor(env: Pick<DocsEnvironment, 'sql' | 'feed' | 'log'>,
    kindOf: (onClose: OnClose) => ViewKind<Index, Readable, Part>, options: CollectionViewOptions)
  {
    const closing = new Set<Promise<void>>();
    super(env, kindOf((ended) => {
      closing.add(ended);
      const forget = (): void => void closing.delete(ended);
      ended.then(forget, forget);
    }), options);
    this.#closing = closing;
  }

  /** Resolves when no index that was released uses the workers any longer; never rejects. */
  async closed(): Promise<void> {
    await Promise.allSettled(this.#closing);
  }
}
