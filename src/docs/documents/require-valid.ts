import { ServiceError } from '../../errors/index.ts';
import type { Deps } from './deps.ts';
import type { Meta } from './meta.ts';

/**
 * Throws or rejects with `validation_failed`, with one message for each violation, when the collection's schema forbids
 * the metadata. Undefined if there is nothing to wait for, as without a schema.
 */
export function requireValid({ schemas }: Pick<Deps, 'schemas'>, collection: string, meta: Meta): Promise<void>
  | undefined
{
  const errors = schemas.violations(collection, meta);
  return errors instanceof Promise ? errors.then(requireNone) : requireNone(errors);
}

function requireNone(errors: readonly string[]): undefined {
  if (errors.length > 0) throw new ServiceError('validation_failed', 'validation failed', { errors });
}

/** The error for a document that is absent, has expired, or was never written with this spelling. */
export function notFound(): ServiceError {
  return new ServiceError('not_found', 'not found');
}

/**
 * Batches repair their items but not the name of their collection, because a repaired name would be another collection.
 */
export function requireText(collection: string): void {
  if (!collection.isWellFormed()) throw new ServiceError('invalid_argument', 'collection must be valid Unicode text');
}
