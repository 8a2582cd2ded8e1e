import fc from 'fast-check';
import { type FieldNode, type FragmentDefinitionNode, type GraphQLResolveInfo, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { selects } from './reads.ts';

/** The part of `info` that the resolver of a document's first field receives. */
function infoOf(text: string): Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'> {
  const { definitions } = parse(text);
  const [operation] = definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the first definition is no operation');
  const fragments = definitions.filter((each): each is FragmentDefinitionNode =>
    each.kind === Kind.FRAGMENT_DEFINITION
  );
  return {
    fieldNodes: [operation.selectionSet.selections[0] as FieldNode],
    fragments: Object.fromEntries(fragments.map((each) => [each.name.value, each])),
  };
}

/** A selection: fields by name with what is below, or a fragment of them. */
interface Tree {
  readonly name: string;
  readonly fragment: boolean;
  readonly children: readonly Tree[];
}

const node = (children: fc.Arbitrary<Tree[]>): fc.Arbitrary<Tree> =>
  fc.record({ name: fc.constantFrom('a', 'b', 'c'), fragment: fc.boolean(), children });
const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, node(fc.constant([])), node(fc.array(tie('tree'), { maxLength: 3 }))),
})).tree;

/** The document, in which fragments are spread by name or inline, and the paths that it selects. */
function write(children: readonly Tree[]): { text: string; paths: Set<string> } {
  const definitions: string[] = [];
  const paths = new Set<string>();
  const ofAll = (list: readonly Tree[], path: string): string =>
    `{ x ${list.map((each) => of(each, path)).join(' ')} }`;
  const of = ({ name, fragment, children: below }: Tree, path: string): string => {
    if (!fragment) {
      paths.add(`${path}${name}`);
      return `${name} ${ofAll(below, `${path}${name}.`)}`;
    }
    const set = ofAll(below, path);
    if (name === 'a') return `... ${set}`;
    definitions.push(`fragment F${definitions.length} on T ${set}`);
    return `...F${definitions.length - 1}`;
  };
  return { text: `{ root ${ofAll(children, '')} } ${definitions.join(' ')}`, paths };
}

describe('looking ahead in a query', () => {
  it('finds exactly the paths that are selected, through fragments of both kinds', () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }),
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }), (children, path) => {
        const { text, paths } = write(children);
        expect(selects(infoOf(text), path)).toBe(paths.has(path.join('.')));
      }),
    );
  });

  it('goes by names rather than aliases, and ends in fragments that spread each other', () => {
    expect(selects(infoOf('{ root { contentMd: key } }'), ['contentMd'])).toBe(false);
    expect(selects(infoOf('{ root { x: contentMd } }'), ['contentMd'])).toBe(true);
    expect(selects(infoOf('{ root { ...A } } fragment A on T { ...B } fragment B on T { ...A }'), ['contentMd'])).toBe(
      false,
    );
  });
});
