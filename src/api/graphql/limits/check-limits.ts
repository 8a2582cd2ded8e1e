import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { LIMITS } from './limits.ts';
import { createMeter, type ListLengths, listLengthsOf, type Measures } from './measure.ts';

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
