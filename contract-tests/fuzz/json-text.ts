/** A part of a JSON text to which no JavaScript value is serialised. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Like `JSON.stringify`, but inserts raw parts unchanged. */
export function toJsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  return `{${
    Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${toJsonText(member)}`).join(',')
  }}`;
}

/** The position of a value within another: names of fields and indexes of arrays. */
export type JsonPath = readonly (string | number)[];

export const REMOVED = Symbol('removed');

/** A copy of `root` with another value at the path, or without the field; creates missing parents. */
export function withValueAt(root: unknown, path: JsonPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy = containerFor(root, step) as Record<string | number, unknown>;
  const changed = rest.length === 0 ? value : withValueAt(copy[step], rest, value);
  if (changed === REMOVED) delete copy[step];
  else copy[step] = changed;
  return copy;
}

export function valueAt(root: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], root);
}

function containerFor(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? [...(value as unknown[])] : [];
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
}
