type Mapping = Record<string, unknown>;

/**
 * Replaces short forms by long ones in a parsed file (run-queue decisions, section 3): `storage.path`, `fleet.dir`, a
 * role's `base_url`, and axes of a matrix beside its other keys. Returns a problem for each short form that stands
 * beside its long form, because the file is ambiguous then. Values that are not mappings are left unchanged; the schema
 * refuses them.
 */
export function expandShortForms(root: unknown): string[] {
  if (!isMapping(root)) return [];
  const problems: string[] = [];
  const { storage, fleet, ai, pipelines } = root;
  if (isMapping(storage) && 'path' in storage && storage['driver'] !== 'postgres') {
    storage['sqlite'] ??= {};
    if (isMapping(storage['sqlite']))
      move(storage, 'path', storage['sqlite'], 'path', ['storage.path', 'storage.sqlite.path'], problems);
  }
  if (isMapping(fleet)) move(fleet, 'dir', fleet, 'ca_dir', ['fleet.dir', 'fleet.ca_dir'], problems);
  if (isMapping(ai) && Array.isArray(ai['roles'])) {
    ai['roles'].forEach((role: unknown, index) => {
      const path = `ai.roles[${index}]`;
      if (isMapping(role)) move(role, 'base_url', role, 'endpoint', [`${path}.base_url`, `${path}.endpoint`], problems);
    });
  }
  if (Array.isArray(pipelines)) {
    pipelines.forEach((pipeline: unknown, index) => {
      if (isMapping(pipeline) && isMapping(pipeline['matrix']))
        moveAxes(pipeline['matrix'], `pipelines[${index}].matrix`, problems);
    });
  }
  return problems;
}

const MATRIX_KEYS: ReadonlySet<string> = new Set(['axes', 'include', 'exclude', 'max_parallel', 'fail_fast']);

/** Values that are not lists are left alone: they may be misspelled keys. */
function moveAxes(matrix: Mapping, path: string, problems: string[]): void {
  for (const [name, values] of Object.entries(matrix)) {
    if (MATRIX_KEYS.has(name) || !Array.isArray(values)) continue;
    matrix['axes'] ??= {};
    if (isMapping(matrix['axes']))
      move(matrix, name, matrix['axes'], name, [`${path}.${name}`, `${path}.axes.${name}`], problems);
  }
}

function move(from: Mapping, short: string, to: Mapping, long: string, [shortPath, longPath]: readonly [string, string],
  problems: string[]): void
{
  if (!Object.hasOwn(from, short)) return;
  if (Object.hasOwn(to, long))
    problems.push(`${shortPath}: is short for ${longPath}, which is given too; keep one of them`);
  else to[long] = from[short];
  delete from[short];
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
