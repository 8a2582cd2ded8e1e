import { OrdSet } from '../../../lib/ord-set.ts';
import type { PartLink } from '../../../search/parts/index.ts';
import { answerVectors, openValue, type OrClosed, orClosed, summaryOfVectors, type VectorLink, type VectorPart,
  VectorStandIn, type VectorSummary } from '../../../search/vector/index.ts';
import type { ModelIdentity } from '../../embeddings/index.ts';
import { inPresentIndex } from '../../search/index.ts';
import type { ModelCount } from '../vector-search.ts';
import type { CollectionVectors } from './collection-vectors.ts';
import type { SpaceReader, SpaceVectors } from './space-vectors.ts';

/** What a joined index reads of each partition's vectors in a space, wherever they are. */
export interface SpacePart extends Pick<SpaceReader, 'models' | 'documentModels' | 'ordsOf'> {
  readonly index: VectorPart;
}

/** The same of a partition. */
export interface VectorsPart {
  readonly documents: number;
  readonly bytes: number;
  of(space: string): SpacePart | undefined;
}

/** What is asked of a partition at first. */
interface Summary {
  readonly documents: number;
  readonly bytes: number;
  readonly spaces: ReadonlyMap<string, { readonly models: ModelCount[]; readonly index: VectorSummary }>;
}

/** Takes the place of a partition in the memory of another node. Everything throws `Unanswered`. */
export class VectorsStandIn implements VectorsPart {
  readonly #link: PartLink;
  /** A joined space recognises by them whether its parts are the same. */
  readonly #spaces = new Map<string, SpaceStandIn>();

  constructor(link: PartLink) {
    this.#link = link;
  }

  get documents(): number {
    return this.#summary.documents;
  }

  get bytes(): number {
    return this.#summary.bytes;
  }

  of(space: string): SpacePart | undefined {
    if (!this.#summary.spaces.has(space)) return undefined;
    let standIn = this.#spaces.get(space);
    if (standIn === undefined) {
      const known = <T>(method: string, ...args: readonly unknown[]): T =>
        openValue(this.#link.known<OrClosed<T>>(method, space, ...args));
      this.#spaces.set(space, standIn = new SpaceStandIn(known, () => this.#summary.spaces.get(space)));
    }
    return standIn;
  }

  get #summary(): Summary {
    return openValue(this.#link.steady<OrClosed<Summary>>('summary'));
  }
}

class SpaceStandIn implements SpacePart {
  readonly index: VectorStandIn;
  readonly #known: VectorLink['known'] & SpaceKnown;
  readonly #models: () => ModelCount[];

  constructor(known: VectorLink['known'] & SpaceKnown,
    summary: () => { readonly models: ModelCount[]; readonly index: VectorSummary } | undefined)
  {
    this.#known = known;
    this.#models = () => summary()?.models ?? [];
    this.index = new VectorStandIn({ known, summary: () => summary()!.index });
  }

  models(): ModelCount[] {
    return this.#models();
  }

  documentModels(ords: readonly number[]): (ModelIdentity | undefined)[] {
    return this.#known('documentModels', ords);
  }

  ordsOf(model?: ModelIdentity): OrdSet {
    return OrdSet.fromWords(this.#known<Uint32Array>('ordsOf', model).slice());
  }
}

type SpaceKnown = <T>(method: 'documentModels' | 'ordsOf', ...args: readonly unknown[]) => T;

/** Answers a question of a stand-in (`ViewKind.answer`). */
export async function answerFromVectors(vectors: CollectionVectors, method: string,
  [name, ...args]: readonly unknown[]): Promise<unknown>
{
  if (method === 'summary') return orClosed(() => summaryOf(vectors));
  // A space that lost its last documents meanwhile is one without documents.
  return orClosed(() =>
    inPresentIndex(() => vectors.ofAny(name as string), (space) => answerFromSpace(space, method, args))
  );
}

async function answerFromSpace(space: SpaceVectors, method: string, args: readonly unknown[]): Promise<unknown> {
  const [first] = args;
  if (method === 'documentModels') return space.documentModels(first as number[]);
  if (method === 'ordsOf') return space.ordsOf(first as ModelIdentity | undefined).words;
  return answerVectors(space.index, method, args);
}

function summaryOf(vectors: CollectionVectors): Summary {
  const spaces = [...vectors.spaces()].map((name) => {
    const space = vectors.of(name)!;
    return [name, { models: space.models(), index: summaryOfVectors(space.index) }] as const;
  });
  return { documents: vectors.documents, bytes: vectors.bytes, spaces: new Map(spaces) };
}
