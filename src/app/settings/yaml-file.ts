import { readFileSync, statSync } from 'node:fs';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { parseYaml } from '../../text/safe-yaml.ts';
import { ENTRIES } from './table.ts';

const MAX_BYTES = 1_048_576;

/** The contents of a YAML file. */
export interface YamlSettings {
  readonly file: string;
  /** Returns the value at a path of the table such as `http.addr`; undefined if the file has none, or null. */
  value(path: string): unknown;
  /** Unknown keys, each as one line. */
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

type Mapping = ReadonlyMap<unknown, unknown>;

/** Reads the settings file of `--config`. Errors are in `problems`; never throws. */
export function readYamlFile(file: string): YamlSettings {
  try {
    if (statSync(file).size > MAX_BYTES) return broken(file, `${file}: the file is larger than ${MAX_BYTES} bytes`);
    return readYaml(file, readFileSync(file, 'utf8'));
  } catch (error) {
    return broken(file,
      `${file}: the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  }
}

/** Like `readYamlFile`, from the file's text. */
function readYaml(file: string, text: string): YamlSettings {
  // Numbers are read as text, because a secret such as 0123 is not 123.
  const parsed = parseYaml(text, { mapsAsMap: true, numbersAsText: true });
  if (!parsed.ok) return broken(file, `${file}: ${parsed.problem}`);
  if (parsed.value === null) return { file, value: () => undefined, warnings: [], problems: [] };
  if (!(parsed.value instanceof Map)) return broken(file, `${file}: expected a mapping of settings`);
  const root: Mapping = parsed.value;
  return { file, value: (path) => valueAt(root, path), ...inspect(file, root) };
}

function broken(file: string, problem: string): YamlSettings {
  return { file, value: () => undefined, warnings: [], problems: [problem] };
}

function valueAt(root: Mapping, path: string): unknown {
  let value: unknown = root;
  for (const name of path.split('.')) value = value instanceof Map ? value.get(name) : undefined;
  return value ?? undefined;
}

/** Every path of the table, and the groups above them, with the names in each group. */
const LEAVES = new Set(ENTRIES.flatMap(({ yaml }) => yaml));
const GROUPS = namesByGroup();

function namesByGroup(): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const leaf of LEAVES) {
    const parts = leaf.split('.');
    parts.forEach((name, depth) => {
      const group = parts.slice(0, depth).join('.');
      groups.set(group, (groups.get(group) ?? new Set()).add(name));
    });
  }
  return groups;
}

function inspect(file: string, root: Mapping): { warnings: string[]; problems: string[] } {
  const warnings: string[] = [];
  const problems: string[] = [];
  const visit = (group: string, mapping: Mapping): void => {
    for (const [key, value] of mapping) {
      const name = String(key);
      const path = group === '' ? name : `${group}.${name}`;
      if (LEAVES.has(path) || (GROUPS.has(path) && value === null)) continue;
      if (!GROUPS.has(path)) warnings.push(`${file}: unknown key ${path}${didYouMean(name, GROUPS.get(group)!)}`);
      else if (value instanceof Map) visit(path, value);
      else problems.push(`${path} in ${file}: expected a mapping with ${[...GROUPS.get(path)!].join(', ')}`);
    }
  };
  visit('', root);
  return { warnings, problems };
}
