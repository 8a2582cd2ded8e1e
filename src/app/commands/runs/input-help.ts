import { listPipelines } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { PipelineInput } from '../../../../generated/runs/sdk/types.gen.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { CommandError } from '../shared/command-error.ts';
import type { RunsClient } from './client.ts';

/**
 * Describes the inputs of a pipeline, one on each line.
 * @throws {CommandError} if there is no such pipeline.
 */
export async function inputHelp(client: RunsClient, name: string): Promise<string[]> {
  const { data } = await client.ask(() => listPipelines({ client: client.sdk }));
  const pipeline = data.find((each) => each.name === name);
  if (pipeline === undefined)
    throw new CommandError(`no pipeline ${name}${didYouMean(name, data.map((each) => each.name))}`);
  const title = `Pipeline ${name}${pipeline.description === '' ? '' : `: ${pipeline.description}`}`;
  const cells = pipeline.matrix === null
    ? []
    : [`  runs ${pipeline.matrix.length} cells: ${
      pipeline.matrix.slice(0, 4).map((cell) =>
        Object.entries(cell).map(([key, value]) => `${key}=${String(value)}`).join(' ')
      ).join(', ')
    }${pipeline.matrix.length > 4 ? ', ...' : ''}`];
  if (pipeline.inputs.length === 0) return [title, ...cells, '  takes any input'];
  const width = Math.max(...pipeline.inputs.map((input) => input.name.length));
  return [title, ...cells,
    ...pipeline.inputs.map((input) => `  --set ${input.name.padEnd(width)}  ${describe(input)}`)];
}

function describe(
  { type, description, required, default: fallback, choices, pattern, min, max }: PipelineInput,
): string {
  const facts = [type === 'choice' ? choices.join(' | ') : type, ...(pattern === null ? [] : [`matches ${pattern}`]),
    ...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`]),
    ...(required ? ['required'] : []), ...(fallback === null ? [] : [`default ${String(fallback)}`])];
  return `${description === '' ? '' : `${description} `}(${facts.join(', ')})`;
}
