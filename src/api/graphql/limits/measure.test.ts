import fc from 'fast-check';
import { buildSchema, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { CEILING, createMeter, listLengthsOf, type Measures } from './limits.ts';

const SCHEMA = buildSchema('type Query { a(x: Int): Query b: Query c: Int }');
const LISTS = listLengthsOf(SCHEMA);

function measure(text: string): Measures {
  const document = parse(text);
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION)!;
  return createMeter(document, LISTS)(operation);
}

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const NAMES = ['a', 'b', '__typename', '...', '...F', '...F', '__schema', '__type', 'types', 'fields'];
const node = (children: fc.Arbitrary<Tree[]>): fc.Arbitrary<Tree> =>
  fc.record({ name: fc.constantFrom(...NAMES), children });
const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5 }, node(fc.constant([])), node(fc.array(tie('tree'), { maxLength: 4 }))),
})).tree;

/** Writes a selection; selections named `...F` become a named fragment that is spread. */
function write(children: readonly Tree[], definitions: string[]): string {
  return children.map(({ name, children: below }) => {
    const set = below.length === 0 ? '{ __typename }' : `{ ${write(below, definitions)} }`;
    if (name !== '...F') return name === '...' ? `... ${set}` : `${name} ${below.length === 0 ? '' : set}`;
    const at = definitions.push('') - 1;
    definitions[at] = `fragment F${at} on Query ${set}`;
    return `...F${at}`;
  }).join(' ');
}

/** The same by visiting the expanded tree, which takes time proportional to its size. */
function slowly(children: readonly Tree[], inside = false): Measures {
  let total: Measures = {
    cost: 0,
    roots: 0,
    depth: 0,
    introspectionDepth: 0,
    introspected: 0,
    selections: 0,
    nesting: 0,
  };
  for (const { name, children: below } of children) {
    const fragment = name.startsWith('...');
    const introspection = !fragment && (inside || name === '__schema' || name === '__type');
    const leaf: readonly Tree[] = fragment ? [{ name: '__typename', children: [] }] : [];
    const inner = slowly(below.length === 0 ? leaf : below, inside || introspection);
    const counted = !fragment && !introspection && name !== '__typename';
    total = {
      cost: total.cost + inner.cost + (counted ? 1 : 0),
      roots: total.roots + (fragment ? inner.roots : 1),
      depth: Math.max(total.depth, inner.depth + (counted ? 1 : 0)),
      introspectionDepth: Math.max(total.introspectionDepth, inner.introspectionDepth + (introspection ? 1 : 0)),
      introspected: total.introspected +
        (introspection ? 1 + (inside ? (LISTS.get(name) ?? 1) : 1) * inner.introspected : inner.introspected),
      selections: total.selections + inner.selections + 1,
      nesting: Math.max(total.nesting, inner.nesting),
    };
  }
  return { ...total, nesting: children.length > 0 ? total.nesting + 1 : 0 };
}

describe('measuring a query', () => {
  it('finds what walking through every fragment finds', () => {
    fc.assert(fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), (children) => {
      const definitions: string[] = [];
      const text = `{ ${write(children, definitions)} }`;
      const { introspected, ...expected } = slowly(children);
      expect(measure(`${text} ${definitions.join(' ')}`)).toEqual({
        ...expected,
        introspected: expect.closeTo(introspected, 6),
      });
    }), { numRuns: 300 });
  });

  it('counts fields and what is below them; introspection and __typename cost nothing (decisions, section 4.13)', () => {
    expect(measure('{ a { b { c __typename } } x: c __typename }')).toMatchObject({
      cost: 4,
      depth: 3,
      introspectionDepth: 0,
    });
    expect(measure('{ __schema { types { name } } __type(name: "A") { name } }')).toMatchObject({
      cost: 0,
      depth: 0,
      introspectionDepth: 3,
    });
  });

  it('counts a fragment wherever it is spread, but looks at it once', () => {
    const doubled = Array.from({ length: 200 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(
      ' ',
    );
    expect(measure(`{ ...F0 } ${doubled} fragment F200 on Query { c }`)).toMatchObject({
      cost: CEILING,
      selections: CEILING,
      depth: 1,
    });
    expect(measure('{ ...F ...F } fragment F on Query { c }')).toMatchObject({ cost: 2, selections: 4 });
  });

  it('ends in fragments that spread each other or do not exist', () => {
    expect(measure('{ ...A } fragment A on Query { c ...B } fragment B on Query { ...A ...None }')).toMatchObject({
      cost: 1,
    });
  });
});
