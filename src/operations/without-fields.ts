/**
 * A copy of a response without the fields at these dotted paths, which also apply to the items of lists. Values without any of
 * the fields are not copied.
 */
export function withoutFields(value: unknown, paths: readonly string[]): unknown {
  return paths.reduce((rest, path) => without(rest, path.split('.')), value);
}

function without(value: unknown, [name, ...deeper]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, [name!, ...deeper]));
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name!)) return value;
  const { [name!]: found, ...rest } = value as Record<string, unknown>;
  return deeper.length === 0 ? rest : { ...rest, [name!]: without(found, deeper) };
}
