import type { OpenApiDocument, SchemaObject } from '../openapi-types.ts';
import { same, type Shape, shapesOf } from './shapes.ts';
import { strip } from './without-prose.ts';

/** `request`: values that clients of the published description send. `answer`: values that they must understand. */
export type Direction = 'request' | 'answer';

/** The effect of a change on clients, with the location: `body.key is now required`. */
export type Finding = string;

type Schema = SchemaObject | boolean;

/**
 * Compares the schemas of two descriptions. Clients are safe as long as one side's values are a subset of the other's:
 * every request that the published description allowed is still accepted, and every response that the current one
 * allows was announced. Both directions are therefore one question, whether the inner schema is within the outer one,
 * with two allowances for responses: clients ignore unknown fields, and limits of values.
 */
export class SchemaComparison {
  readonly #inner: OpenApiDocument;
  readonly #outer: OpenApiDocument;
  readonly #direction: Direction;
  /**
   * Pairs of references that were compared or are being compared: a recursive schema is within another unless a
   * difference is found.
   */
  readonly #known = new Map<string, readonly Finding[]>();

  constructor(published: OpenApiDocument, present: OpenApiDocument, direction: Direction) {
    [this.#inner, this.#outer] = direction === 'request' ? [published, present] : [present, published];
    this.#direction = direction;
  }

  /** The changes from `published` to `present` that break clients, at a location such as `body`. */
  breaks(published: Schema, present: Schema, place: string): Finding[] {
    const [inner, outer] = this.#direction === 'request' ? [published, present] : [present, published];
    return [...new Set(this.#within(inner, outer, place))];
  }

  #within(inner: Schema, outer: Schema, place: string): readonly Finding[] {
    const key =
      typeof inner === 'object' && typeof outer === 'object' && inner.$ref !== undefined && outer.$ref !== undefined
        ? JSON.stringify([inner, outer])
        : undefined;
    if (key === undefined) return this.#compare(inner, outer, place);
    const known = this.#known.get(key);
    if (known !== undefined) return known.map((finding) => finding.replace(HERE, () => place));
    this.#known.set(key, []);
    const findings = this.#compare(inner, outer, HERE);
    this.#known.set(key, findings);
    return findings.map((finding) => finding.replace(HERE, () => place));
  }

  #compare(inner: Schema, outer: Schema, place: string): Finding[] {
    const outerShapes = shapesOf(this.#outer, outer);
    return shapesOf(this.#inner, inner).flatMap((shape) => this.#shapeWithin(shape, outerShapes, place));
  }

  /**
   * A shape is within a schema if one of the schema's shapes accepts it; otherwise, the one that accepts most of it
   * gives the reasons.
   */
  #shapeWithin(shape: Shape, outer: readonly Shape[], place: string): readonly Finding[] {
    const candidates = outer.filter(({ type }) =>
      type === 'any' || type === shape.type || (type === 'number' && shape.type === 'integer')
    );
    if (candidates.length === 0) return [this.#say(place, 'no longer takes', 'may now be', typeName(shape))];
    const values = shape.keywords['enum'] as unknown[] | undefined;
    if (values !== undefined && candidates.length > 1) {
      const single = (value: unknown): Shape => ({ ...shape, keywords: { ...shape.keywords, enum: [value] } });
      return values.flatMap((value) =>
        least(candidates.map((each) => this.#compareShapes(single(value), each, place)))
      );
    }
    return least(candidates.map((each) => this.#compareShapes(shape, each, place)));
  }

  #compareShapes(inner: Shape, outer: Shape, place: string): Finding[] {
    const [a, b] = [outer.keywords['enum'] === undefined ? inner.keywords : listed(inner), outer.keywords];
    return [...this.#values(a, b, place), ...(this.#direction === 'request' ? limits(a, b, place) : []),
      ...(inner.type === 'object' ? this.#objects(a, b, place) : []),
      ...(inner.type === 'array' ? this.#arrays(a, b, place) : [])];
  }

  #values(a: SchemaObject, b: SchemaObject, place: string): Finding[] {
    const [values, allowed] = [a['enum'] as unknown[] | undefined, b['enum'] as unknown[] | undefined];
    // Clients of a growing enumeration (`x-growing`) were told that there may be further values, so they accept new
    // ones.
    const growing = this.#direction === 'answer' && b['x-growing'] === true;
    const findings = values === undefined
      ? []
      : values.filter((value) => allowed !== undefined && !growing && !allowed.some((other) => same(value, other))).map(
        (value) => this.#say(place, 'no longer takes', 'may now be', JSON.stringify(value))
      );
    if (values === undefined && allowed !== undefined)
      findings.push(
        this.#say(place, 'takes only a list of values now:', 'may now be more than', allowed.map((value) =>
          JSON.stringify(value)
        ).join(', ')),
      );
    if (values === undefined && b.format !== undefined && a.format !== b.format && !ANNOTATIONS.has(b.format)) {
      findings.push(this.#say(place, 'takes only this format now:', 'no longer has the format', b.format));
    }
    return findings;
  }

  #objects(a: SchemaObject, b: SchemaObject, place: string): Finding[] {
    const [properties, others] = [this.#seen(a), this.#seen(b)];
    const hidden = (name: string, schema: SchemaObject) =>
      name in (schema.properties ?? {}) && !(name in this.#seen(schema));
    const required = (b.required ?? []).filter((name) => !(a.required ?? []).includes(name) && !hidden(name, b));
    const removed = this.#direction === 'request'
      ? Object.keys(properties).filter((name) =>
        !(name in others) && !isSchema(b['additionalProperties']) && !hidden(name, b)
      )
      : Object.keys(others).filter((name) =>
        !(name in properties) && !isSchema(a['additionalProperties']) && !hidden(name, a)
      );
    return [
      ...required.filter((name) => !removed.includes(name)).map((name) =>
        `${place}.${name} ${this.#direction === 'request' ? 'is now required' : 'may now be absent'}`
      ),
      ...removed.map((name) => `${place}.${name} was removed`),
      ...Object.keys(properties).flatMap((name) => {
        const other = others[name] ?? (isSchema(b['additionalProperties']) ? b['additionalProperties'] : undefined);
        return other === undefined ? [] : this.#within(properties[name]!, other, `${place}.${name}`);
      }),
      ...this.#otherFields(a, b, place),
    ];
  }

  /** Fields of a map, which have no names in the schema. */
  #otherFields(a: SchemaObject, b: SchemaObject, place: string): readonly Finding[] {
    const [inner, outer] = [additional(a), additional(b)];
    if (inner === undefined || outer === undefined || outer === true || inner === false) return [];
    // Clients ignore unknown fields, so a response may have them even if none were announced.
    if (outer === false) return this.#direction === 'request' ? [`${place} no longer takes fields of any name`] : [];
    return this.#within(inner, outer, `${place}.*`);
  }

  #arrays(a: SchemaObject, b: SchemaObject, place: string): Finding[] {
    const [first, others] = [(a['prefixItems'] ?? []) as SchemaObject[], (b['prefixItems'] ?? []) as SchemaObject[]];
    const length = Math.max(first.length, others.length);
    const most = (a['maxItems'] as number | undefined) ?? Infinity;
    const places = Array.from({ length: Math.min(length, most) },
      (_, index): ItemPlace => [first[index] ?? a.items, others[index] ?? b.items, `${place}[${index}]`]);
    if (most > length) places.push([a.items, b.items, `${place}[]`]);
    return places.flatMap((
      [inner, outer, where],
    ) => (outer === undefined ? [] : this.#within(inner ?? true, outer, where)));
  }

  /** The fields that apply in this direction: a client sends no read-only field and receives no write-only one. */
  #seen(schema: SchemaObject): Record<string, SchemaObject> {
    const hidden = this.#direction === 'request' ? 'readOnly' : 'writeOnly';
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(([, property]) => property[hidden] !== true),
    );
  }

  #say(place: string, request: string, answer: string, what: string): Finding {
    return `${place} ${this.#direction === 'request' ? request : answer} ${what}`;
  }
}

type ItemPlace = readonly [inner: Schema | undefined, outer: Schema | undefined, place: string];

/** Placeholder for the location in findings that are cached for several locations. */
const HERE = '\u0000';

/** Formats that describe the presentation or encoding of a text or a number, not its set of values. */
const ANNOTATIONS = new Set(['binary', 'byte', 'password', 'int32', 'int64', 'float', 'double']);

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'x-max-bytes'];
/** The verb of findings that a person must decide. */
export const UNDECIDED = 'may take';

/** Keywords whose meaning cannot be compared: they are compatible only if they are unchanged. */
const OPAQUE = ['pattern', 'multipleOf', 'uniqueItems', 'propertyNames', 'patternProperties', 'dependentRequired',
  'dependentSchemas', 'if', 'then', 'else', 'not', 'contains', 'unevaluatedProperties', 'unevaluatedItems'];

/** Limits that became narrower. Listed values have been compared individually. */
function limits(a: SchemaObject, b: SchemaObject, place: string): Finding[] {
  if (a['enum'] !== undefined) return [];
  const say = (verb: string) => (keyword: string) =>
    `${place} ${verb} less: ${keyword} is ${JSON.stringify(b[keyword])}, ${
      a[keyword] === undefined ? 'had none' : `was ${JSON.stringify(a[keyword])}`
    }`;
  const narrower = (keywords: readonly string[], isNarrower: (before: number, now: number) => boolean, none: number) =>
    keywords.filter((keyword) =>
      typeof b[keyword] === 'number' && isNarrower((a[keyword] as number | undefined) ?? none, b[keyword])
    );
  return [
    ...narrower(LOWER, (before, now) => now > before, -Infinity).filter((keyword) =>
      !(FROM_ZERO.has(keyword) && b[keyword] === 0)
    ).map(say('takes')),
    ...narrower(UPPER, (before, now) => now < before, Infinity).map(say('takes')),
    ...OPAQUE.filter((keyword) =>
      b[keyword] !== undefined && b[keyword] !== false && !same(strip(a[keyword]), strip(b[keyword]))
    ).map(say(UNDECIDED)),
  ];
}

/** Lengths are never below zero, so that limit excludes nothing. */
const FROM_ZERO = new Set(['minLength', 'minItems', 'minProperties']);

/** The additional properties that an object may have; undefined if it has properties and does not specify them. */
function additional(schema: SchemaObject): Schema | undefined {
  const stated = schema['additionalProperties'] as Schema | undefined;
  return stated ?? (schema.properties === undefined ? true : undefined);
}

const isSchema = (value: unknown): value is SchemaObject => typeof value === 'object' && value !== null;

const typeName = (
  { type, keywords }: Shape,
): string => (keywords['enum'] === undefined
  ? (type === 'any' ? 'anything' : type)
  : (keywords['enum'] as unknown[]).map((value) => JSON.stringify(value)).join(', '));

const least = (findings: readonly (readonly Finding[])[]): readonly Finding[] =>
  findings.reduce((best, each) => (each.length < best.length ? each : best));

const MOST_LISTED = 16;

/** Integers within narrow limits, as the list of their values. */
function listed({ type, keywords }: Shape): SchemaObject {
  const { minimum, maximum } = keywords as { minimum?: number; maximum?: number };
  if (type !== 'integer' || keywords['enum'] !== undefined || minimum === undefined || maximum === undefined ||
    maximum - minimum > MOST_LISTED) return keywords;
  return { ...keywords, enum: Array.from({ length: maximum - minimum + 1 }, (_, i) => minimum + i) };
}
