import { type Operations, operations } from '../../../../generated/docs/operations.ts';
import { createInvoker, type Invoke, type OutputOf } from '../../../operations/index.ts';
import { createDocuments } from '../../documents/index.ts';
import { createSchemas } from '../../schemas/index.ts';
import { DOCS_INPUTS } from '../../test-fixture.ts';
import { createVectorOperations } from '../index.ts';
import { type FixtureOptions, VectorFixture } from '../test-fixture.ts';

/** For tests: other uses of vectors, over the areas of a `VectorFixture`. */
export class OperationsFixture {
  readonly base: VectorFixture;
  readonly #invoke: Invoke<Operations>;

  private constructor(base: VectorFixture) {
    const { environment, collections, embeddings, vectors, gate, columns } = base;
    this.base = base;
    const documents = createDocuments(environment, {
      collections,
      columns,
      schemas: createSchemas(environment),
    });
    const handlers = createVectorOperations(environment, {
      documents,
      collections,
      embeddings,
      vectors,
      gate,
      columns,
    });
    this.#invoke = createInvoker<Operations>({
      operations,
      inputs: DOCS_INPUTS,
      strictInput: true,
      mode: () => 'wr',
      handlers,
    });
  }

  static async open(options?: FixtureOptions): Promise<OperationsFixture> {
    return new OperationsFixture(await VectorFixture.open(options));
  }

  /** The state that a crash at this moment would leave, served by another server. */
  async crashed(options?: FixtureOptions): Promise<OperationsFixture> {
    return new OperationsFixture(await this.base.crashed(options));
  }

  async call<K extends keyof Operations & string>(id: K, input: object,
    signal?: AbortSignal): Promise<OutputOf<Operations, K>>
  {
    return (await this.#invoke(id, structuredClone(input), {
      protocol: 'http',
      requestId: 'test',
      ...(signal && { signal }),
    })).value;
  }

  /** Stores documents by `collection|key|lang`, and waits for their vectors. */
  async store(documents: Readonly<Record<string, string>>, more: object = {}): Promise<void> {
    for (const [id, contentMd] of Object.entries(documents)) {
      const [collection, key, lang] = id.split('|');
      await this.base.call('addDocument', { collection, key, lang, contentMd, ...more });
    }
    await this.base.caughtUp();
  }

  close(): Promise<void> {
    return this.base.close();
  }
}
