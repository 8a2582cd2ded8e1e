import DataLoader from 'dataloader';
import { type FragmentDefinitionNode, type GraphQLResolveInfo, Kind, print, type SelectionSetNode } from 'graphql';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';

/**
 * Runs a field that reads. Fields of one request with the same arguments share one result; `variant` separates fields
 * that need more of the result than others. `bodies` counts the characters of documents in a result.
 */
export type Reads = <T>(info: GraphQLResolveInfo, work: () => Promise<T>, options?: ReadOptions<T>) => Promise<T>;

interface ReadOptions<T> {
  readonly variant?: string;
  readonly bodies?: (answer: T) => number;
}

interface Read {
  readonly key: string;
  readonly work: () => Promise<unknown>;
  readonly bodies: (answer: unknown) => number;
}

/** Operations of one request that run at once, so that a request with hundreds of fields does not crowd out others. */
const CONCURRENT = 4;

/** Characters of bodies after which a request starts no further reads, because its response is built in memory. */
export const MAX_BODY_CHARACTERS = 64 * 1024 * 1024;

/** The reads of one request. Reads that have not started when `signal` aborts do not start. */
export function createReads(signal: AbortSignal): Reads {
  const runner = new Runner(signal);
  const loader = new DataLoader<Read, unknown, string>((reads) => runner.run(reads), { cacheKeyFn: ({ key }) => key });
  return <T>(info: GraphQLResolveInfo, work: () => Promise<T>,
    { variant = '', bodies = () => 0 }: ReadOptions<T> = {}) =>
    loader.load({ key: `${fieldKey(info)} ${variant}`, work, bodies: bodies as Read['bodies'] }) as Promise<T>;
}

/** Variables have one value per request, so the same text means the same arguments. */
function fieldKey({ fieldName, fieldNodes }: GraphQLResolveInfo): string {
  return `${fieldName}(${(fieldNodes[0]?.arguments ?? []).map((argument) => print(argument)).sort().join(', ')})`;
}

class Runner {
  readonly #signal: AbortSignal;
  #bodies = 0;
  /** Yields the event loop to others, because the fields of a request may all be served from memory. */
  #pace = new Pace();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Results or failures, in the order of the reads. */
  async run(reads: readonly Read[]): Promise<unknown[]> {
    const answers: unknown[] = Array.from({ length: reads.length });
    const waiting = reads.entries();
    this.#pace = new Pace();
    const work = async (): Promise<void> => {
      for (const [i, read] of waiting) answers[i] = await this.#answer(read).catch(toError);
    };
    await Promise.all(Array.from({ length: CONCURRENT }, work));
    return answers;
  }

  async #answer({ work, bodies }: Read): Promise<unknown> {
    await this.#pace.rest();
    this.#signal.throwIfAborted();
    if (this.#bodies > MAX_BODY_CHARACTERS) {
      throw new ServiceError('payload_too_large',
        `the bodies in the response exceed ${MAX_BODY_CHARACTERS} characters; ask for fewer documents in one request`);
    }
    const answer = await work();
    this.#bodies += bodies(answer);
    return answer;
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('not an error was thrown', { cause: thrown });
}

/**
 * Whether a field's selection contains a path of field names, such as `['edges', 'node', 'contentMd']`. Ignores `@skip`
 * and `@include`. Each fragment is visited once for each step of the path.
 */
export function selects(info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>, path: readonly string[]): boolean {
  const seen = new Set<string>();

  const reaches = (set: SelectionSetNode | undefined, step: number): boolean => {
    if (step === path.length) return true;
    return set?.selections.some((selection) => {
      if (selection.kind === Kind.FIELD)
        return selection.name.value === path[step] && reaches(selection.selectionSet, step + 1);
      if (selection.kind === Kind.INLINE_FRAGMENT) return reaches(selection.selectionSet, step);
      return firstLook(info.fragments[selection.name.value], step);
    }) ?? false;
  };
  const firstLook = (fragment: FragmentDefinitionNode | undefined, step: number): boolean => {
    const key = `${step} ${fragment?.name.value ?? ''}`;
    if (fragment === undefined || seen.has(key)) return false;
    seen.add(key);
    return reaches(fragment.selectionSet, step);
  };
  return info.fieldNodes.some(({ selectionSet }) => reaches(selectionSet, 0));
}
