// The steps that only searches take (`x-search`).
import type { Call, Step } from '../call.ts';
import type { SearchFacts } from '../spec.ts';

/** Reports each search that was answered, with the algorithm that its response names. */
export function count(report: (metric: string, algorithm: string, seconds: number) => void): Step {
  return {
    appliesTo: ({ search }) => search?.metric !== undefined,
    async run(call, next) {
      const { metric, algorithm } = call.spec.search as Required<SearchFacts>;
      const started = performance.now();
      const answer = await next(call);
      const name = String((answer as Readonly<Record<string, unknown>>)[algorithm]);
      report(metric, name, (performance.now() - started) / 1000);
      return answer;
    },
  };
}

/** Runs a search when it gets a place. */
export type Gate = (call: Call, search: () => Promise<unknown>) => Promise<unknown>;

/** Searches wait for a place. Those that wait for a provider too enter the gate themselves, only while they score. */
export function gate(enter: Gate): Step {
  return {
    appliesTo: ({ search }) => search?.gate === true,
    run: (call, next) => enter(call, () => next(call)),
  };
}
