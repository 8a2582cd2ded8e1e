import { VectorIndexClosedError } from './ann-index.ts';

/** What an index in another process answers: errors lose their class on the way. */
export type OrClosed<T> = { readonly value: T } | 'closed';

/** A VectorIndexClosedError of a read of an index, as plain data. */
export async function orClosed<T>(read: () => T | Promise<T>): Promise<OrClosed<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof VectorIndexClosedError)) throw error;
    return 'closed';
  }
}

/** Throws the VectorIndexClosedError that `orClosed` has caught. */
export function openValue<T>(answer: OrClosed<T>): T {
  if (answer === 'closed') throw new VectorIndexClosedError();
  return answer.value;
}
