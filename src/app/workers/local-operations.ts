import { operations } from '../../../generated/docs/operations.ts';
import type { OperationSpec } from '../../operations/index.ts';

/** The operations that a worker serves itself (`x-local`); all others go to the primary, which notes reads. */
export function localOperations({ notesReads }: { readonly notesReads: boolean }): OperationSpec[] {
  return Object.values<OperationSpec>(operations).filter(({ local, noted }) =>
    local === true && !(notesReads && noted)
  );
}
