import { parseYaml } from '../../text/safe-yaml.ts';

/**
 * Environment variables are texts, so a number among them keeps the form in which it was written: `1.10` and `007` are
 * no versions 1.1 and 7. Replaces the numbers in `env` of pipelines, jobs and steps of a parsed file, in place. The
 * file has a list of pipelines, or is one.
 */
export function keepWrittenNumbers(value: unknown, text: string): void {
  const maps = environments(value);
  if (!maps.some((map) => Object.values(map).some((each) => typeof each === 'number'))) return;
  const written = parseYaml(text, { numbersAsText: true });
  if (!written.ok) return;
  const texts = environments(written.value);
  maps.forEach((map, index) => {
    for (const [name, each] of Object.entries(map)) if (typeof each === 'number') map[name] = texts[index]![name];
  });
}

type Mapping = Record<string, unknown>;

/** All `env` mappings, in an order that depends on the structure alone. */
function environments(value: unknown): Mapping[] {
  if (!isMapping(value)) return [];
  const pipelines = Object.hasOwn(value, 'pipelines') ? entriesOf(value['pipelines']) : [value];
  const parts = [...pipelines, ...pipelines.flatMap(({ jobs }) => entriesOf(jobs))];
  return [...parts, ...parts.flatMap(({ steps }) => entriesOf(steps))].map(({ env }) => env).filter(isMapping);
}

function entriesOf(list: unknown): Mapping[] {
  return Array.isArray(list) ? list.filter(isMapping) : [];
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
