import { ServiceError } from '../../../errors/index.ts';
import type { IndexedDocument, TextIndex } from './text-index.ts';

/** An index in the making. */
export interface Build {
  readonly index: TextIndex;
  /** Ordinals that the feed has brought meanwhile: what the scan knows of them may be out of date. */
  readonly touched: Set<number>;
}

/**
 * The index of one collection and the one that is being made for it, if any. Changes go to both, so that
 * searches go on while a collection is indexed anew.
 */
export class CollectionIndex {
  /** Lowercased. */
  readonly name: string;
  #serving: TextIndex | undefined;
  #build: Build | undefined;
  #failure: unknown;
  /** Documents that changed since the last checkpoint. */
  changed = 0;

  /** Without an index it is one that is loading. */
  constructor(name: string, serving?: TextIndex) {
    this.name = name;
    this.#serving = serving;
  }

  /** Undefined while it is loading or has failed. */
  get serving(): TextIndex | undefined {
    return this.#serving;
  }

  /** Throws `index_loading` before the first index is complete, `unavailable` when it could not be made. */
  get ready(): TextIndex {
    if (this.#serving !== undefined) return this.#serving;
    if (this.#failure === undefined) throw indexLoading();
    throw new ServiceError('unavailable', 'the full-text index failed; reindex the collection', { cause: this.#failure });
  }

  put(document: IndexedDocument): void {
    this.#each(document.ord, (index) => index.put(document));
  }

  remove(ord: number): void {
    this.#each(ord, (index) => index.remove(ord));
  }

  /** A build under way is given up. */
  begin(index: TextIndex): Build {
    this.#build = { index, touched: new Set() };
    return this.#build;
  }

  isUnderWay(build: Build): boolean {
    return this.#build === build;
  }

  /** The build becomes the index that serves. */
  finish(build: Build): void {
    this.#serving = build.index;
    this.#build = undefined;
    this.#failure = undefined;
    this.changed += build.index.documents;
  }

  abandon(build: Build): void {
    if (this.#build === build) this.#build = undefined;
  }

  /** An index that could not follow a change is worse than none. */
  fail(failure: unknown): void {
    this.close();
    this.#failure = failure;
  }

  /** Lets go of the indexes; a build under way is given up. */
  close(): void {
    this.#serving = undefined;
    this.#build = undefined;
  }

  #each(ord: number, change: (index: TextIndex) => void): void {
    this.changed += 1;
    if (this.#serving !== undefined) change(this.#serving);
    if (this.#build === undefined) return;
    this.#build.touched.add(ord);
    change(this.#build.index);
  }
}

export function indexLoading(): ServiceError {
  return new ServiceError('index_loading', 'the full-text index is still loading', { headers: { 'Retry-After': '1' } });
}
