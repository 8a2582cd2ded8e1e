import { ServiceError } from '../../errors/index.ts';

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
