import { deserialize, serialize } from 'node:v8';
import { type ErrorCode, ERRORS, ServiceError } from '../../errors/index.ts';
import type { PartAddress, PartAnswer, Question } from '../../search/parts/index.ts';
import { IndexElsewhere, IndexLoading } from '../view/index.ts';
import type { Route } from './cluster-state.ts';
import type { NodeConnections } from './connections.ts';
import { askHedged, HedgeDelay } from './hedge.ts';

/** What is asked of a node at once. */
interface Gather {
  /** The LSN that the answers must include. */
  readonly atLeast: number;
  readonly questions: readonly Omit<Question, 'key'>[];
}

type Gathered = readonly ({ readonly value: unknown } | {
  readonly error: { readonly name: string; readonly code: ErrorCode | undefined; readonly message: string };
})[];

interface GathererDeps {
  /** The nodes that can be asked for a part, the best first. */
  readonly routesOf: (part: PartAddress) => readonly Route[];
  readonly connections: Pick<NodeConnections, 'to'>;
  /** The answer of a part without documents. */
  readonly answerAsEmpty: (part: PartAddress, method: string, args: readonly unknown[]) => unknown;
  /** A node did not answer. */
  readonly failed: (node: string) => void;
  /** The highest LSN that this process knows: answers must include what their request's client has written here. */
  readonly known: () => number | undefined;
}

/** A question with the nodes that can answer it. */
interface Routed {
  readonly question: Question;
  readonly routes: readonly Route[];
}

/** Asks the nodes that have parts of a collection in memory for what a request needs of them. */
export class PartGatherer {
  readonly #deps: GathererDeps;
  readonly #delay = new HedgeDelay();
  /** The node that was asked last what replicas of a part do not have in common. */
  readonly #steady = new Map<string, string>();

  constructor(deps: GathererDeps) {
    this.#deps = deps;
  }

  /**
   * The answers in the order of the questions. Each node is asked once; when it fails or is slow, the others that have
   * its parts are asked, too. A part that is on no node that answers is reported to `missing`, and answers as one
   * without documents; without that function it makes this reject with `unavailable`.
   */
  async ask(questions: readonly Question[], signal: AbortSignal, missing: (part: PartAddress) => void = (part) => {
    throw notAnswering(part);
  }): Promise<PartAnswer[]> {
    const answers = new Map<Question, PartAnswer>();
    const routed = questions.map((question): Routed => ({ question, routes: this.#routesOf(question) }));
    const askAll = async (some: readonly Routed[]): Promise<void> => {
      const isOnePart = new Set(some.map(({ question: { part } }) => nameOf(part))).size === 1;
      const found = await this.#hedged(some, signal);
      if (found === undefined && !isOnePart) return eachOf(some, ({ question: { part } }) => nameOf(part));
      for (const { question } of some)
        answers.set(question, found?.get(question) ?? await this.#asEmpty(question, missing));
    };
    const eachOf = async (some: readonly Routed[], by: (routed: Routed) => string): Promise<void> =>
      void (await Promise.all([...Map.groupBy(some, by).values()].map(askAll)));
    await eachOf(routed,
      ({ question: { part, isSteady = false }, routes }) => `${isSteady} ${routes[0]?.name ?? nameOf(part)}`);
    return questions.map((question) => answers.get(question)!);
  }

  #routesOf({ part, isSteady }: Question): readonly Route[] {
    const routes = this.#deps.routesOf(part);
    const steady = isSteady === true ? this.#steady.get(nameOf(part)) : undefined;
    return steady === undefined
      ? routes
      : routes.toSorted((a, b) => Number(b.name === steady) - Number(a.name === steady));
  }

  async #asEmpty({ part, method, args }: Question, missing: (part: PartAddress) => void): Promise<PartAnswer> {
    missing(part);
    return { value: await this.#deps.answerAsEmpty(part, method, args) };
  }

  /** Questions with the same best node, all of which go to their next nodes together; undefined if that fails. */
  async #hedged(some: readonly Routed[], signal: AbortSignal): Promise<ReadonlyMap<Question, PartAnswer> | undefined> {
    const choices = Math.max(...some.map(({ routes }) => routes.length));
    if (choices === 0) return undefined;
    const ask = (choice: number, within: AbortSignal) => this.#askChoice(some, choice, within);
    // Another replica would begin from nothing, which takes longer than a slow one.
    const atOnce = some[0]!.question.isSteady === true ? 1 : 2;
    try {
      const nodes = Array.from({ length: choices }, (_, choice) => choice);
      return (await askHedged(ask, { nodes, delay: this.#delay.delay, signal, atOnce })).value;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Asks the first, second or later node of each question; the last one that it has, if there are fewer. */
  async #askChoice(some: readonly Routed[], choice: number,
    within: AbortSignal): Promise<ReadonlyMap<Question, PartAnswer>>
  {
    const routeOf = ({ routes }: Routed): Route => routes[Math.min(choice, routes.length - 1)]!;
    const byNode = Map.groupBy(some, (routed) => routeOf(routed).name);
    const answered = await Promise.all(
      [...byNode.values()].map((own) => this.#askNode(routeOf(own[0]!), own.map(({ question }) => question), within)),
    );
    return new Map(answered.flat());
  }

  async #askNode({ name, address }: Route, questions: readonly Question[],
    within: AbortSignal): Promise<(readonly [Question, PartAnswer])[]>
  {
    const { connections, known, failed } = this.#deps;
    const gather: Gather = {
      atLeast: known() ?? 0,
      questions: questions.map(({ part, method, args }) => ({ part, method, args })),
    };
    const began = performance.now();
    try {
      const bytes = await connections.to(address).gather(serialize(gather), within);
      this.#delay.observe(performance.now() - began);
      const answers = deserialize(bytes) as Gathered;
      for (const { part, isSteady } of questions) if (isSteady === true) this.#steady.set(nameOf(part), name);
      return questions.map((question, i) => [question, answerFrom(answers[i]!)] as const);
    } catch (error) {
      if (!within.aborted) failed(name);
      for (const { part } of questions) if (this.#steady.get(nameOf(part)) === name) this.#steady.delete(nameOf(part));
      throw error;
    }
  }
}

const nameOf = ({ view, collection, number, of }: PartAddress): string => `${view} ${collection} ${number} ${of}`;

function notAnswering({ view, collection, number, of }: PartAddress): ServiceError {
  return new ServiceError('unavailable',
    `no node answers for partition ${number + 1} of ${of} of ${collection} (${view}); try again, or see GET /v1/nodes`,
    { headers: { 'Retry-After': '1' } });
}

function answerFrom(answer: Gathered[number]): PartAnswer {
  if (!('error' in answer)) return answer;
  const { name, code, message } = answer.error;
  if (code !== undefined) return { error: new ServiceError(code in ERRORS ? code : 'internal', message) };
  return { error: name === 'RangeError' ? new RangeError(message) : Object.assign(new Error(message), { name }) };
}

/** What of a view answers for its parts: see `CollectionView`. */
export interface AnsweringView {
  readonly name: string;
  /** Resolves once a change is included. */
  reached(lsn: number, signal: AbortSignal): Promise<void>;
  /** Throws `IndexLoading` while the part is read into memory, `IndexElsewhere` if it is not meant to be here. */
  answer(part: Omit<PartAddress, 'view'>, method: string, args: readonly unknown[]): unknown;
  answerAsEmpty(collection: string, method: string, args: readonly unknown[]): unknown;
}

/**
 * Answers another node, which this one has let in. A part that is being read into memory is waited for. Rejects if one
 * is not meant to be here, so that another node is asked; what the part itself throws is an answer.
 */
export async function answerGathered(views: readonly AnsweringView[], request: Uint8Array,
  signal: AbortSignal): Promise<Uint8Array>
{
  const { atLeast, questions } = deserialize(request) as Gather;
  const asked = views.filter(({ name }) => questions.some(({ part }) => part.view === name));
  await Promise.all(asked.map((view) => view.reached(atLeast, signal)));
  const answers = await Promise.all(questions.map(({ part, method, args }) => {
    const view = asked.find(({ name }) => name === part.view);
    if (view === undefined) throw new ServiceError('unavailable', `there is no view ${part.view} at this node`);
    return answerOf(() => view.answer(part, method, args), signal);
  }));
  return serialize(answers);
}

async function answerOf(work: () => unknown, signal: AbortSignal): Promise<Gathered[number]> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      try {
        return { value: await work() };
      } catch (error) {
        if (error instanceof IndexElsewhere) throw error;
        if (!(error instanceof IndexLoading)) return { error: described(error as Error) };
        await Promise.race([error.changed, aborted]);
      }
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function described(error: Error): Extract<Gathered[number], { error: unknown }>['error'] {
  const { name, message } = error;
  return { name, code: error instanceof ServiceError ? error.code : undefined, message };
}
