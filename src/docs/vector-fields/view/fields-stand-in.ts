import type { PartLink } from '../../../search/parts/index.ts';
import { answerSparse, type SparsePart, SparseStandIn, type SparseStats } from '../../../search/sparse/index.ts';
import { answerVectors, openValue, type OrClosed, orClosed, summaryOfVectors, type VectorPart, VectorStandIn,
  type VectorSummary } from '../../../search/vector/index.ts';
import type { VectorField } from '../../collections/index.ts';
import { type FieldIndexes, nameOf } from './field-indexes.ts';

type Kind = VectorField['kind'];

/** What a joined index reads of each partition, wherever it is. */
export interface FieldsPart {
  readonly documents: number;
  readonly bytes: number;
  of(field: string, kind: Kind): VectorPart | undefined;
  sparse(field: string): SparsePart | undefined;
}

/** What is asked of a partition at first; indexes by `nameOf`. */
interface Summary {
  readonly documents: number;
  readonly bytes: number;
  readonly dense: ReadonlyMap<string, VectorSummary>;
  readonly sparse: ReadonlyMap<string, SparseStats>;
}

/** Takes the place of a partition in the memory of another node. Everything throws `Unanswered`. */
export class FieldsStandIn implements FieldsPart {
  readonly #link: PartLink;

  constructor(link: PartLink) {
    this.#link = link;
  }

  get documents(): number {
    return this.#summary.documents;
  }

  get bytes(): number {
    return this.#summary.bytes;
  }

  of(field: string, kind: Kind): VectorPart | undefined {
    const name = nameOf(field, kind);
    if (!this.#summary.dense.has(name)) return undefined;
    return new VectorStandIn({ known: this.#knownOf(field, kind), summary: () => this.#summary.dense.get(name)! });
  }

  sparse(field: string): SparsePart | undefined {
    const name = nameOf(field, 'sparse');
    if (!this.#summary.sparse.has(name)) return undefined;
    return new SparseStandIn({ known: this.#knownOf(field, 'sparse'), summary: () => this.#summary.sparse.get(name)! });
  }

  #knownOf(field: string, kind: Kind) {
    return <T>(method: string, ...args: readonly unknown[]): T =>
      openValue(this.#link.known<OrClosed<T>>(method, field, kind, ...args));
  }

  get #summary(): Summary {
    return openValue(this.#link.steady<OrClosed<Summary>>('summary'));
  }
}

/** Answers a question of a stand-in (`ViewKind.answer`). */
export function answerFromFields(indexes: FieldIndexes, method: string,
  [name, kind, ...args]: readonly unknown[]): Promise<OrClosed<unknown>>
{
  const field = name as string;
  return orClosed(() => {
    if (method === 'summary') return summaryOf(indexes);
    if (kind === 'sparse') return answerSparse(indexes.sparse(field), method, args);
    return answerVectors(indexes.ofAny(field, kind as Kind), method, args);
  });
}

function summaryOf(indexes: FieldIndexes): Summary {
  const { dense, sparse } = indexes.named();
  return {
    documents: indexes.documents,
    bytes: indexes.bytes,
    dense: new Map([...dense].map(([name, index]) => [name, summaryOfVectors(index)])),
    sparse: new Map([...sparse].map(([name, index]) => [name, index.stats()])),
  };
}
