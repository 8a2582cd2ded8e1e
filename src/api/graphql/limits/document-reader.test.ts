import fc from 'fast-check';
import { getIntrospectionQuery, GraphQLError, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGraphqlApplication } from '../application.ts';
import { createDocumentReader, DocumentCache } from './document-reader.ts';
import { LIMITS } from './limits.ts';

const { schema } = createGraphqlApplication();
const repeat = (count: number, text: (i: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(between);
const nested = (depth: number, field: string, leaf: string): string =>
  `${`${field} { `.repeat(depth)}${leaf}${' }'.repeat(depth)}`;
const chain = (count: number, spread: (i: number) => string): string =>
  repeat(count, (i) => `fragment F${i} on Query { ${spread(i)} }`);

/** The first error of a document, undefined if it is valid. */
function problemOf(text: string): string | undefined {
  const reader = createDocumentReader(schema);
  try {
    return reader.validate(reader.parse(text))[0]?.message;
  } catch (error) {
    expect(error).toBeInstanceOf(GraphQLError);
    return (error as GraphQLError).message;
  }
}

const FULL_INTROSPECTION = getIntrospectionQuery({
  descriptions: true,
  inputValueDeprecation: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  oneOf: true,
});

describe('what a query may ask for', () => {
  it.each([['the standard introspection query', FULL_INTROSPECTION], ['1000 fields',
    `{ ${repeat(500, (i) => `a${i}: stats { mode }`)} }`], ['1000 fields and __typename in each selection',
    `{ __typename ${repeat(500, (i) => `a${i}: stats { mode __typename }`)} }`], [
    'several operations of which each is within the limits',
    repeat(3, (i) => `query Q${i} { ${repeat(300, (j) => `a${j}: stats { mode }`)} }`),
  ], ['a vector of 4096 numbers',
    `{ vectorSearch(input: {collection: "c", queryVector: [${repeat(4096, () => '0.5')}]}) { total } }`], [
    'a text of a hundred thousand letters',
    `mutation { addDocument(input: {collection: "c", key: "k", lang: "en", contentMd: "${
      'x'.repeat(100_000)
    }"}) { id } }`,
  ], ['fragments in fragments',
    `{ ...F0 } ${chain(40, (i) => `...F${i + 1}`)} fragment F40 on Query { stats { mode } }`]])(
      '%s is within the limits',
      (_name, text) => {
        expect(problemOf(text)).toBeUndefined();
      },
    );

  it.each([['51 mutations',
    `mutation { ...M ${
      repeat(50, (i) => `a${i}: deleteSchema(collection: "c")`)
    } } fragment M on Mutation { last: deleteSchema(collection: "c") }`, /more than 50 mutations/], ['1001 fields',
    `{ ${repeat(500, (i) => `a${i}: stats { mode }`)} __typename me { username } }`,
    /too complex: it selects more than 1000 fields/], ['10,000 aliases', `{ ${repeat(10_000, (i) => `a${i}:me{id}`)} }`,
    /longer than 131072 bytes|10000 tokens/], ['fragments that double each other',
    `{ ...F0 } ${chain(60, (i) => `...F${i + 1} ...F${i + 1}`)} fragment F60 on Query { stats { mode } }`,
    /too complex/], ['fragments that double what costs nothing',
    `{ ...F0 } ${chain(60, (i) => `...F${i + 1} ...F${i + 1}`)} fragment F60 on Query { __typename }`,
    /selects more than 2500 times/], ['fragments that spread each other',
    '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', /Cannot spread fragment "A" within itself/], [
    'a large ring of fragments',
    `{ ...F0 } ${chain(700, (i) => `...F${(i + 1) % 700} ...F${(i * 7) % 700}`)}`,
    /nested deeper than 100 levels/,
  ], ['fields deeper than 10', `{ ${nested(10, 'search', 'a')} }`, /deeper than 10 fields/], [
    'selections a thousand deep',
    `{ ${nested(1000, 'a', 'b')} }`,
    /nested deeper than 100 levels/,
  ], ['selections that exhaust the parser', `{ ${nested(4000, 'a', 'b')} }`,
    /nested deeper than 100 levels|10000 tokens/], ['inline fragments in each other',
    `{ ${nested(900, '...', '__typename')} }`, /nested deeper than 100 levels/], ['lists that exhaust the parser',
    `{ document(collection: "a", key: "b", lang: "c", env: {a: ${'['.repeat(4900)}${']'.repeat(4900)}}) { id } }`,
    /nested deeper than 100 levels/], ['introspection deeper than 20',
    `{ __schema { types { ${nested(20, 'ofType', 'name')} } } }`, /introspection is deeper than 20 fields/], [
    'introspection of fields of types of fields',
    `{ __schema { types { ${nested(4, 'fields { type', 'name').replaceAll(' }', ' } }')} } } }`,
    /introspection|Syntax/,
  ], ['introspection under hundreds of names',
    `{ __schema { types { fields { ${repeat(900, (i) => `a${i}: name`)} } } } }`, /introspection asks for too much/], [
    '__typename thousands of times',
    `{ ${repeat(2600, () => '__typename')} }`,
    /selects more than 2500 times/,
  ], ['__typename as often as is just allowed', `{ ${repeat(2400, () => '__typename')} }`,
    /repeats too many fields of one name/], ['unused fragments of thousands of fields',
    `{ stats { mode } } ${repeat(3, (i) => `fragment F${i} on Query { ${repeat(900, () => '__typename')} }`)}`,
    /selects more than 2500 times/], ['thousands of directives',
    `{ stats ${repeat(3000, () => '@skip(if: true)')} { mode } }`, /10000 tokens/], ['thousands of variables',
    `query(${repeat(2400, (i) => `$v${i}: Int`)}) { stats { mode } }`, /never used/], ['hundreds of operations',
    repeat(51, (i) => `query Q${i} { __typename }`), /more than 50 operations/], ['a very long document',
    ' '.repeat(LIMITS.documentBytes) + '{ stats { mode } }', /longer than 131072 bytes/], [
    'one argument thousands of times, on thousands of lines',
    `{ schema(${repeat(3000, () => 'collection: "a"', '\n'.repeat(20))}) { schema } }`,
    /only one argument named "collection"/,
  ], ['fields of one name with hundreds of arguments',
    `{ ${repeat(480, (i) => `a: schema(collection: "${i}") { schema }`, '\n'.repeat(100))} }`, /differing arguments/], [
    'definitions of types',
    `{ stats { mode } } ${repeat(900, (i) => `type T${i} { a: Int }`)}`,
    /is not executable/,
  ]])('%s is refused', (_name, text, reason) => {
    expect(problemOf(text)).toMatch(reason);
  });

  it('reports no more than a few errors', () => {
    const reader = createDocumentReader(schema);
    expect(reader.validate(reader.parse(`{ ${repeat(900, (i) => `a${i}`)} }`)).length).toBeLessThanOrEqual(
      LIMITS.errors + 1,
    );
  });
});

describe('what was valid', () => {
  it('is neither parsed nor validated again', () => {
    const reader = createDocumentReader(schema);
    const first = reader.parse('{ stats { mode } }');
    expect(reader.validate(first)).toEqual([]);
    expect(reader.parse('{ stats { mode } }')).toBe(first);
    expect(reader.validate(first)).toEqual([]);
  });

  it('is remembered only once it is known to be valid', () => {
    const reader = createDocumentReader(schema);
    const first = reader.parse('{ nope }');
    expect(reader.validate(first)).toHaveLength(1);
    const second = reader.parse('{ nope }');
    expect(second).not.toBe(first);
    expect(reader.validate(second)).toHaveLength(1);
    expect(reader.validate(first)).toHaveLength(1);
  });
});

const DOCUMENT = parse('{ a }');

describe('the cache of documents', () => {
  it('keeps what was used last, within its number and its bytes', () => {
    const step = fc.record({
      text: fc.integer({ min: 0, max: 12 }),
      nodes: fc.integer({ min: 0, max: 12 }),
      get: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 3000, max: 12_000 }), (steps, maxEntries, maxBytes) => {
        const cache = new DocumentCache(maxEntries, maxBytes);
        // Texts with their bytes, the most recently used one last.
        let kept: [string, number][] = [];
        for (const { text, nodes, get } of steps) {
          const name = `q${text}`;
          const known = kept.find(([each]) => each === name);
          if (get) {
            expect(cache.get(name) !== undefined).toBe(known !== undefined);
            if (known) kept = [...kept.filter((each) => each !== known), known];
            continue;
          }
          const bytes = name.length * 2 + nodes * 300;
          cache.set(name, DOCUMENT, nodes);
          if (bytes > maxBytes / 10) continue;
          kept = [...kept.filter((each) => each !== known), [name, bytes]];
          while (kept.length > maxEntries || kept.reduce((sum, [, size]) => sum + size, 0) > maxBytes) kept.shift();
        }
        expect(cache.size).toBe(kept.length);
        for (const [name] of kept) expect(cache.get(name)).toBe(DOCUMENT);
      }),
    );
  });
});
