import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { sparseVector } from '../../../search/sparse/index.ts';
import { WorkerPool } from '../../../search/vector/index.ts';
import { packSparse, type SuppliedVectors } from '../../../storage/index.ts';
import { Loopback } from '../../../testkit/parts/loopback.ts';
import { combine } from '../search/combine.ts';
import { DenseComponent, SparseComponent } from '../search/components.ts';
import { FieldIndexes, type ReadableFields } from './field-indexes.ts';
import { answerFromFields, FieldsStandIn } from './fields-stand-in.ts';
import { joinFieldIndexes } from './joined-fields.ts';

const pool = new WorkerPool(2);
afterAll(() => pool.close());

const place = { start: 0, end: 1, startLine: 1, endLine: 1 };
const rows = fc.array(fc.array(fc.integer({ min: -2, max: 3 }), { minLength: 3, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});
const change = fc.record({
  ord: fc.integer({ min: 0, max: 40 }),
  dense: fc.option(rows),
  tokens: fc.option(rows),
  sparse: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1 })),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function fieldsOf({ dense, tokens, sparse }: Change): Map<string, SuppliedVectors> {
  const fields = new Map<string, SuppliedVectors>();
  const common = (count: number) => ({ crc: 1, bytes: 1, places: Array.from({ length: count }, () => place) });
  const numbers = (vectors: readonly number[][]) => Float32Array.from(vectors.flat());
  if (dense !== null)
    fields.set('d', { ...common(dense.length), shape: 'passages', dimensions: 3, numbers: numbers(dense) });
  if (tokens !== null)
    fields.set('t', { ...common(tokens.length), shape: 'tokens', dimensions: 3, numbers: numbers(tokens) });
  if (sparse !== null) {
    const { indices, values } = sparseVector(sparse, sparse.map((dimension) => 1 + (dimension % 2)));
    fields.set('s', { ...common(1), shape: 'sparse', dimensions: 2, numbers: packSparse(indices, values) });
  }
  return fields;
}

const create = (): FieldIndexes => FieldIndexes.create({ pool }, () => {});

/** A search of a field of each kind, and one of late interaction beside a sparse vector. */
async function read(index: ReadableFields): Promise<unknown> {
  const [dense, tokens, sparse] = [index.of('d', 'dense'), index.of('t', 'multi'), index.sparse('s')];
  const vector = sparseVector([1, 2, 3], [1, 2, 1]);
  const metric = 'dot_product' as const;
  const components = [
    ...(sparse === undefined ? [] : [new SparseComponent(sparse, vector, 0.5, undefined)]),
    ...[[1, 0, 2], [0, 1, -1]].flatMap((numbers) =>
      tokens === undefined
        ? []
        : [new DenseComponent(tokens, { vector: Float32Array.from(numbers), metric, algorithm: 'flat' }, 1)]
    ),
  ];
  return {
    documents: index.documents,
    absent: [index.of('d', 'multi'), index.of('none', 'dense'), index.sparse('d')],
    dense: await dense?.search({ vector: Float32Array.of(1, 2, 3), k: 7, perDocument: true }),
    sparse: await sparse?.search({ vector, k: 7 }),
    combined: await combine(components, { k: 7, threshold: undefined, oversample: undefined, filter: undefined }),
    counts: [dense?.stats().chunks, tokens?.stats().documents, sparse?.stats().documents],
  };
}

/** Joins partitions, of which those with an odd number, or all, are on another node. */
function join(parts: readonly FieldIndexes[], away: 'none' | 'some' | 'all', loopback: Loopback): ReadableFields {
  return joinFieldIndexes(
    parts.map((part, i) =>
      away === 'none' || (away === 'some' && i % 2 === 0)
        ? part
        : new FieldsStandIn(loopback.add((method, args) => answerFromFields(part, method, args)))
    ),
  );
}
const awayParts = fc.constantFrom('none' as const, 'some' as const, 'all' as const);

describe('the supplied vectors of several partitions as one', () => {
  it('are read as those of one index with all documents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 6 }), awayParts,
        fc.array(change, { minLength: 1, maxLength: 60, size: 'max' }), async (count, away, changes) => {
        const loopback = new Loopback();
        const whole = create();
        const parts = Array.from({ length: count }, create);
        for (const each of changes) {
          for (const index of [whole, parts[each.ord % count]!])
            index.put(each.ord, fieldsOf(each), () => (each.ord % 3 === 0 ? 'int8' : 'float32'));
        }
        // An index whose last document went has none, like a part that never had one.
        const joined = join(parts, away, loopback);
        expect(await loopback.request(() => read(joined))).toEqual(await read(whole));
        for (const index of [whole, ...parts]) index.close();
      }),
      { numRuns: 60 },
    );
  });
});
