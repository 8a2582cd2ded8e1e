import { closest } from '../lib/did-you-mean.ts';

/** A field of an input that its schema does not have. */
export interface UnknownField {
  /** Its path, such as `documents[0].titel`. */
  readonly path: string;
  /** The path that was probably meant; absent if no field is close. */
  readonly meant?: string;
}

/** Finds fields of an input that its schema does not have, at every depth; at most `MAX_FOUND` of them. */
export type UnknownFieldFinder = (input: object) => readonly UnknownField[];

/** More of them would add no information. */
export const MAX_FOUND = 20;

const MAX_SHOWN = 80;

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
  /** Fields that the server sets itself and that clients may send back (`x-ignored`). */
  readonly 'x-ignored'?: readonly string[];
}

/** The allowed contents of a value, with all alternatives of its schema combined. */
interface Shape {
  readonly fields: Map<string, Shape>;
  readonly ignored: Set<string>;
  /** Whether the schema describes the fields at all; if not, any field is allowed. */
  isDescribed: boolean;
  /** Whether any other field is allowed, as in free maps. */
  isOpen: boolean;
  /** The values of a free map. */
  values?: Shape;
  items?: Shape;
  /** Whether fields are described at any level below; metadata, for example, need not be walked. */
  isWorthWalking?: boolean;
}

/** Processes a schema once; the returned function walks an input along with it and allocates only for what it finds. */
export function unknownFieldFinder(schema: object): UnknownFieldFinder {
  const shape = shapeOf(schema);
  return (input) => {
    const found: UnknownField[] = [];
    collect(input, shape, '', found);
    return found;
  };
}

/** `unknown field "filtrMeta"; did you mean "filterMeta"?` */
export function unknownFieldMessage({ path, meant }: UnknownField): string {
  return `unknown field "${path}"${hintOf(meant)}`;
}

/** The same, for a field that is ignored. */
export function ignoredFieldMessage({ path, meant }: UnknownField): string {
  return `unknown field "${path}" is ignored${hintOf(meant)}`;
}

const hintOf = (meant: string | undefined): string => (meant === undefined ? '' : `; did you mean "${meant}"?`);

function shapeOf(root: Schema): Shape {
  const known = new Map<string, Shape>();
  const referred = (ref: string): Shape => {
    const shape = known.get(ref) ?? emptyShape();
    if (!known.has(ref)) {
      known.set(ref, shape);
      add(shape, definition(root, ref));
    }
    return shape;
  };
  const of = (schema: Schema): Shape => {
    if (schema.$ref !== undefined) return referred(schema.$ref);
    const shape = emptyShape();
    add(shape, schema);
    return shape;
  };
  const add = (shape: Shape, schema: Schema): void => {
    if (schema.properties !== undefined) shape.isDescribed = true;
    for (const [name, field] of Object.entries(schema.properties ?? {})) shape.fields.set(name, of(field));
    for (const name of schema['x-ignored'] ?? []) shape.ignored.add(name);
    const { additionalProperties: rest, items } = schema;
    if (rest === true || typeof rest === 'object') shape.isOpen = true;
    if (typeof rest === 'object') shape.values = of(rest);
    if (items !== undefined) shape.items = of(items);
    for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      add(shape, part.$ref === undefined ? part : definition(root, part.$ref));
    }
  };
  return of(root);
}

const emptyShape = (): Shape => ({ fields: new Map(), ignored: new Set(), isDescribed: false, isOpen: false });

function definition(root: Schema, ref: string): Schema {
  return root.$defs?.[ref.slice('#/$defs/'.length)] ?? {};
}

/** Depth needs no limit: a value is followed only as far as its schema describes it. */
function collect(value: object, shape: Shape, path: string, found: UnknownField[]): void {
  if (Array.isArray(value)) {
    const { items } = shape;
    if (items === undefined) return;
    for (const [i, item] of value.entries())
      if (isObject(item) && found.length < MAX_FOUND) collect(item, items, `${path}[${i}]`, found);
    return;
  }
  for (const name of Object.keys(value)) {
    if (found.length >= MAX_FOUND) return;
    const within = shape.fields.get(name) ?? shape.values;
    if (within === undefined) {
      if (shape.isDescribed && !shape.isOpen && !shape.ignored.has(name)) found.push(unknownField(path, name, shape));
    } else if (isWorthWalking(within)) {
      const inner = (value as Record<string, unknown>)[name];
      if (isObject(inner)) collect(inner, within, join(path, name), found);
    }
  }
}

function isWorthWalking(shape: Shape): boolean {
  if (shape.isWorthWalking === undefined) {
    // A schema that refers to itself without a field in between describes no fields.
    shape.isWorthWalking = shape.isDescribed;
    shape.isWorthWalking ||= [shape.values, shape.items].some((inner) => inner !== undefined && isWorthWalking(inner));
  }
  return shape.isWorthWalking;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function unknownField(path: string, name: string, { fields }: Shape): UnknownField {
  const meant = closest(name.slice(0, MAX_SHOWN), fields.keys());
  return { path: join(path, name), meant: meant && join(path, meant) };
}

function join(path: string, name: string): string {
  const shown = (name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name).toWellFormed();
  return path === '' ? shown : `${path}.${shown}`;
}
