import { ServiceError } from '../../errors/index.ts';

/** The refusal of a search while an index that it needs is loading, with the moment at which it may be tried again. */
export class IndexLoading extends ServiceError {
  /** Resolves when the view's indexes have changed: this one may serve then. */
  readonly changed: Promise<void>;

  /** `kind` is what messages call the view. */
  constructor(kind: string, changed: Promise<void>) {
    super('index_loading', `the ${kind} index is still loading`, { headers: { 'Retry-After': '1' } });
    this.changed = changed;
  }
}
