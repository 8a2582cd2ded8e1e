import type { Step } from '../call.ts';

/** Applies what other nodes have committed. Operations about the node itself need no store (`x-probe: node`). */
export function follow(refresh: () => Promise<void>): Step {
  return {
    appliesTo: ({ probe }) => probe !== 'node',
    async run(call, next) {
      await refresh();
      return next(call);
    },
  };
}
