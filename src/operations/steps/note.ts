import type { Step } from '../call.ts';
import type { Context } from '../handler.ts';
import { Reply } from '../handler.ts';

/** Notes who has read a document (`x-noted`). */
export function note(read: (document: { readonly id: string }, context: Context) => void): Step {
  return {
    appliesTo: ({ noted }) => noted === true,
    async run(call, next) {
      const result = await next(call);
      read((result instanceof Reply ? result.value : result) as { id: string }, call.context);
      return result;
    },
  };
}
