/**
 * A copy of a response without the fields at these dotted paths, which also apply to the items of lists. Values without
 * any of the fields are not copied.
 */
export function withoutFields(value: unknown, paths: readonly string[]): unknown {
  return paths.reduce(
    (whole, path) => changed(whole, path.split('.'), ({ [path.slice(path.lastIndexOf('.') + 1)]: _, ...rest }) => rest),
    value,
  );
}

/**
 * A copy of a response with other values at these dotted paths: 0, or that of the field beside it that is named. Absent
 * fields stay absent.
 */
export function unreadFields(value: unknown, replacements: Readonly<Record<string, string | 0>>): unknown {
  return Object.entries(replacements).reduce((whole, [path, by]) => {
    const names = path.split('.');
    return changed(whole, names, (owner) => ({ ...owner, [names.at(-1)!]: by === 0 ? 0 : owner[by] }));
  }, value);
}

/** The value at a dotted path of an input that may not have been validated; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce(
    (found, name) => (isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    value,
  );
}

/** A copy in which every object that has the field at the end of a path is changed. */
function changed(value: unknown, [name, ...deeper]: readonly string[],
  change: (owner: Record<string, unknown>) => unknown): unknown
{
  if (Array.isArray(value)) return value.map((item) => changed(item, [name!, ...deeper], change));
  if (!isObject(value) || !Object.hasOwn(value, name!)) return value;
  return deeper.length === 0 ? change(value) : { ...value, [name!]: changed(value[name!], deeper, change) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
