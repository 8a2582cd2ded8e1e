import type { CodeGraphEdge } from '../../../../generated/docs/sdk/types.gen.ts';
import { defineArea } from './area.ts';
import { given } from './input.ts';

export const codegraph = defineArea('codegraph', {
  Query: {
    codeGraph: (_, { input, ...single }, { read, invoke }, info) =>
      read(info, async () => {
        const { value: { edges, ...graph } } = await invoke('queryCodeGraph', {
          ...single,
          ...(input && given(input)),
        });
        return { ...graph, edges: edges.map(presentEdge) };
      }),
  },
});

function presentEdge({ lines, ...edge }: CodeGraphEdge) {
  return { ...edge, fromLine: lines?.fromLine ?? null, toLine: lines?.toLine ?? null };
}
