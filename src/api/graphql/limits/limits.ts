import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, GraphQLError, type GraphQLSchema, isEnumType,
  isInputObjectType, isObjectType, Kind, type OperationDefinitionNode, OperationTypeNode, type SelectionNode,
  type SelectionSetNode } from 'graphql';

/** Limits of one GraphQL request (contract section 8, decisions section 4.13). */
export const LIMITS = {
  /** Selected fields of an operation, with its fragments expanded; fields of introspection do not count. */
  complexity: 1000,
  /** Fields of `Mutation` in one operation, with its fragments expanded: each is a write of its own. */
  mutations: 50,
  /** Nesting depth of fields. */
  depth: 10,
  /** Nesting depth of fields of introspection, whose standard query is deeper than 10. */
  introspectionDepth: 20,
  /** Fields that introspection may return, by an estimate; the standard query is estimated at 35,000. */
  introspected: 60_000,
  /**
   * Selections of a document, and of an operation with its fragments expanded, including those of introspection:
   * validation compares selections of the same name with each other.
   */
  selections: 2500,
  /** Nesting depth of selection sets, including those of fragments. Also the nesting depth of values in variables. */
  nesting: 100,
  /** Operations of a document; each is validated together with its fragments. */
  operations: 50,
  /** Bytes of a document; large values belong in variables. */
  documentBytes: 128 * 1024,
  /** Tokens of a document. */
  tokens: 10_000,
  /** Values of a body, which the library converts all at once; each operation also has a limit of its own. */
  values: 200_000,
  /** Errors of validation that a response lists. */
  errors: 20,
} as const;

/** The size of an operation, with its fragments expanded. Numbers stop growing at `CEILING`. */
export interface Measures {
  /** Selected fields, without those of introspection, which do not count. */
  readonly cost: number;
  /** Fields at the root. */
  readonly roots: number;
  /** Nesting depth of fields, without those of introspection. */
  readonly depth: number;
  /** Nesting depth of fields of introspection, from `__schema` or `__type` on. */
  readonly introspectionDepth: number;
  /** An estimate of the number of fields that introspection would return. */
  readonly introspected: number;
  /** All selections: fields of all kinds, spreads and inline fragments. */
  readonly selections: number;
  /** Nesting depth of selection sets, including those of fragments. */
  readonly nesting: number;
}

export const CEILING = 1e9;

const NOTHING: Measures = {
  cost: 0,
  roots: 0,
  depth: 0,
  introspectionDepth: 0,
  introspected: 0,
  selections: 0,
  nesting: 0,
};

const INTROSPECTION_ROOTS: ReadonlySet<string> = new Set(['__schema', '__type']);

/** The average number of items in the lists of introspection, by the field's name. */
type ListLengths = ReadonlyMap<string, number>;

/** The averages of a schema, per type or per field; a selection below `types` counts once for each type. */
export function listLengthsOf(schema: GraphQLSchema): ListLengths {
  const types = Object.values(schema.getTypeMap());
  const fields = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()));
  const perType = (count: number): number => count / types.length;
  return new Map([['types', types.length], ['fields', perType(fields.length)], ['inputFields',
    perType(types.filter(isInputObjectType).flatMap((type) => Object.values(type.getFields())).length)], ['enumValues',
    perType(types.filter(isEnumType).flatMap((type) => type.getValues()).length)], ['args',
    fields.reduce((sum, { args }) => sum + args.length, 0) / fields.length], ['directives',
    schema.getDirectives().length]]);
}

/**
 * Measures each operation of a document. Each fragment is measured only once, so fragments that double each other's
 * size take no extra time. A fragment that spreads itself counts as nothing there, because validation rejects it.
 */
export function createMeter(document: DocumentNode,
  lists: ListLengths): (operation: OperationDefinitionNode) => Measures
{
  const fragments = new Map(
    document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION).map((
      each,
    ) => [each.name.value, each]),
  );
  const known = new Map<string, Measures>();

  const ofSet = (set: SelectionSetNode | undefined, inside: boolean): Measures => {
    let total = NOTHING;
    for (const selection of set?.selections ?? []) total = added(total, ofSelection(selection, inside));
    return set === undefined ? NOTHING : { ...total, nesting: total.nesting + 1 };
  };
  const ofSelection = (selection: SelectionNode, inside: boolean): Measures => {
    if (selection.kind === Kind.FIELD) return ofField(selection, inside);
    const inner = selection.kind === Kind.INLINE_FRAGMENT
      ? ofSet(selection.selectionSet, inside)
      : ofFragment(fragments.get(selection.name.value), inside);
    return { ...inner, selections: up(inner.selections + 1) };
  };
  const ofField = ({ name: { value: name }, selectionSet }: FieldNode, inside: boolean): Measures => {
    const introspection = inside || INTROSPECTION_ROOTS.has(name);
    const inner = ofSet(selectionSet, introspection);
    const selections = up(inner.selections + 1);
    if (introspection) {
      const items = inside ? (lists.get(name) ?? 1) : 1;
      return {
        ...inner,
        roots: 1,
        selections,
        introspectionDepth: inner.introspectionDepth + 1,
        introspected: up(1 + items * inner.introspected),
      };
    }
    if (name === '__typename') return { ...inner, roots: 1, selections };
    return { ...inner, roots: 1, selections, cost: up(inner.cost + 1), depth: inner.depth + 1 };
  };
  const ofFragment = (fragment: FragmentDefinitionNode | undefined, inside: boolean): Measures => {
    if (fragment === undefined) return NOTHING;
    const key = `${inside ? 'in' : 'out'} ${fragment.name.value}`;
    const measures = known.get(key);
    if (measures !== undefined) return measures;
    known.set(key, NOTHING);
    const measured = ofSet(fragment.selectionSet, inside);
    known.set(key, measured);
    return measured;
  };
  return (operation) => ofSet(operation.selectionSet, false);
}

function added(a: Measures, b: Measures): Measures {
  return {
    cost: up(a.cost + b.cost),
    roots: up(a.roots + b.roots),
    depth: Math.max(a.depth, b.depth),
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    introspected: up(a.introspected + b.introspected),
    selections: up(a.selections + b.selections),
    nesting: Math.max(a.nesting, b.nesting),
  };
}

function up(value: number): number {
  return Math.min(value, CEILING);
}

const CHECKED: readonly { readonly what: keyof Measures; readonly text: (limit: number) => string }[] = [{
  what: 'nesting',
  text: (limit) => `the query is nested deeper than ${limit} levels`,
}, { what: 'depth', text: (limit) => `the query is deeper than ${limit} fields` }, {
  what: 'introspectionDepth',
  text: (limit) => `introspection is deeper than ${limit} fields`,
}, { what: 'roots', text: (limit) => `the operation has more than ${limit} mutations` }, {
  what: 'cost',
  text: (limit) => `the query is too complex: it selects more than ${limit} fields`,
}, { what: 'introspected', text: () => 'introspection asks for too much' }, {
  what: 'selections',
  text: (limit) => `the query selects more than ${limit} times`,
}];

const LIMIT_OF: Readonly<Record<keyof Measures, number>> = {
  nesting: LIMITS.nesting,
  depth: LIMITS.depth,
  introspectionDepth: LIMITS.introspectionDepth,
  roots: LIMITS.mutations,
  cost: LIMITS.complexity,
  introspected: LIMITS.introspected,
  selections: LIMITS.selections,
};

/**
 * Throws for a document that exceeds a limit. Runs before the rules of the GraphQL specification, because some of them
 * take time that is quadratic in the number of selections.
 */
export function createLimitCheck(schema: GraphQLSchema): (document: DocumentNode) => void {
  const lists = listLengthsOf(schema);
  return (document) => {
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
    if (operations > LIMITS.operations)
      throw new GraphQLError(`the document has more than ${LIMITS.operations} operations`);
    checkAsWritten(document, lists);
    const measure = createMeter(document, lists);
    for (const each of document.definitions)
      if (each.kind === Kind.OPERATION_DEFINITION) check(mutationsOnly(measure(each), each.operation), each);
  };
}

/** Everything in a document is validated, whether or not an operation uses it. */
function checkAsWritten(document: DocumentNode, lists: ListLengths): void {
  const alone = createMeter({ ...document, definitions: [] }, lists);
  let selections = 0;
  for (const each of document.definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION && each.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const measures = alone({ ...each, kind: Kind.OPERATION_DEFINITION } as never);
    selections += measures.selections;
    check({ ...measures, roots: 0, selections }, each);
  }
}

/** The number of reads beside each other is not limited here; writes run one after the other. */
function mutationsOnly(measures: Measures, operation: OperationTypeNode): Measures {
  return operation === OperationTypeNode.MUTATION ? measures : { ...measures, roots: 0 };
}

function check(measures: Measures, node: DocumentNode['definitions'][number]): void {
  for (const { what, text } of CHECKED) {
    if (measures[what] > LIMIT_OF[what]) throw new GraphQLError(text(LIMIT_OF[what]), { nodes: node });
  }
}
