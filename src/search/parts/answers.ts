import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../errors/index.ts';
import { firstQuestionOf, type PartAddress, type PartLink, type Question, questionOf, Unanswered } from './link.ts';

/** What a method of a part returned, or threw. */
export type PartAnswer = { readonly value: unknown } | { readonly error: unknown };

/** Asks some parts, and returns their answers in the order of the questions. */
export type AskParts = (questions: readonly Question[]) => Promise<readonly PartAnswer[]>;

/** Work that must be repeated more often than this, without coming to its end, is given up. */
const MOST_REPEATS = 200;

/** Questions that are asked together. */
interface Round {
  readonly questions: Question[];
  readonly answers: Promise<readonly PartAnswer[]>;
}

const requests = new AsyncLocalStorage<Answers>();

/** What the parts of collections in other processes have answered to one request. */
export class Answers {
  readonly #ask: AskParts;
  #known = new Map<string, Promise<PartAnswer> | PartAnswer>();
  #rounds = 0;
  /** The round that has not been sent yet. */
  #next: Round | undefined;

  constructor(ask: AskParts) {
    this.#ask = ask;
  }

  /** Those of the request in which this code runs; undefined where no other process is asked. */
  static get current(): Answers | undefined {
    return requests.getStore();
  }

  /** Does the work of a request, also again after parts were asked. */
  within<T>(work: () => Promise<T>): Promise<T> {
    return requests.run(this, () => gathered(work));
  }

  /** Without answers, for the same parts. */
  anew(): Answers {
    return new Answers(this.#ask);
  }

  /** How often parts were asked. */
  get rounds(): number {
    return this.#rounds;
  }

  /** What is read from now on is of a later state. */
  forget(): void {
    this.#known = new Map();
  }

  /** Throws `Unanswered`, and what the part has thrown. */
  known(question: Question): unknown {
    const answer = this.#known.get(question.key);
    if (answer === undefined || answer instanceof Promise) throw new Unanswered([question]);
    return valueOf(answer);
  }

  async answerTo(question: Question): Promise<unknown> {
    await this.fetch([question]);
    return this.known(question);
  }

  /** Asks what is not known yet, all at once. Rejects if a part cannot be asked. */
  async fetch(questions: readonly Question[]): Promise<void> {
    const unasked = new Map(questions.filter(({ key }) => !this.#known.has(key)).map((each) => [each.key, each]));
    if (unasked.size > 0) this.#send([...unasked.values()]);
    await Promise.all(questions.map(({ key }) => this.#known.get(key)));
  }

  #send(questions: readonly Question[]): void {
    const known = this.#known;
    const round = this.#next ??= this.#newRound();
    for (const question of questions) {
      const { key } = question;
      const at = round.questions.push(question) - 1;
      const answer = round.answers.then((answers) => {
        known.set(key, answers[at]!);
        return answers[at]!;
      });
      // Whoever waits learns of the failure; the next round asks again.
      answer.catch(() => known.delete(key));
      known.set(key, answer);
    }
  }

  /** It is sent when all work that can go on now has come to its questions: searches side by side share a round. */
  #newRound(): Round {
    const questions: Question[] = [];
    const answers = setImmediate().then(() => {
      this.#next = undefined;
      this.#rounds += 1;
      return this.#ask(questions);
    });
    return { questions, answers };
  }
}

function valueOf(answer: PartAnswer): unknown {
  if ('error' in answer) throw answer.error;
  return answer.value;
}

/**
 * Does work that reads parts of collections, and does it again with their answers as long as some are missing. The work
 * must not have other effects before it has read what it needs. Outside of a request that may ask, it is done once.
 */
export async function gathered<T>(work: () => T | Promise<T>): Promise<T> {
  const answers = Answers.current;
  for (let repeats = 0;; repeats++) {
    try {
      return await work();
    } catch (error) {
      if (answers === undefined || !(error instanceof Unanswered)) throw error;
      if (repeats === MOST_REPEATS)
        throw new ServiceError('unavailable', 'the request needs too many answers of other nodes; try again');
      await answers.fetch(error.questions);
    }
  }
}

/**
 * `gathered` for several reads, in order: what some of them need is asked together, and only those are done again.
 * `rest` is called after each; nothing is awaited where it returns undefined.
 */
export async function gatheredEach<Item, T>(items: readonly Item[], read: (item: Item) => T,
  rest: () => Promise<void> | undefined = () => undefined): Promise<T[]>
{
  const found: T[] = [];
  for (let left = [...items.keys()]; left.length > 0;) {
    const missing: Unanswered[] = [];
    const again: number[] = [];
    for (const i of left) {
      try {
        found[i] = read(items[i]!);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        missing.push(error);
        again.push(i);
      }
      const pause = rest();
      if (pause !== undefined) await pause;
    }
    if (missing.length > 0) await current().fetch(missing.flatMap(({ questions }) => questions));
    left = again;
  }
  return found;
}

/**
 * Does a step of long work that a request has begun, with answers of its own, which are forgotten afterwards: such work
 * may ask more often than a request, and sees the parts as they are at each step.
 */
export function apart<T>(step: () => T): Promise<T> {
  const answers = Answers.current;
  return answers === undefined ? gathered(step) : answers.anew().within(async () => step());
}

/** Reads a part by the answers of the request in which this code runs. */
export function linkTo(part: PartAddress): PartLink {
  return {
    part,
    known: <T>(method: string, ...args: readonly unknown[]) => current().known(questionOf(part, method, args)) as T,
    steady: <T>(method: string, ...args: readonly unknown[]) =>
      current().known({ ...questionOf(part, method, args), isSteady: true }) as T,
    first: <T>(method: string, ...args: readonly unknown[]) =>
      current().known(firstQuestionOf(part, method, args)) as T,
    ask: <T>(method: string, ...args: readonly unknown[]) =>
      current().answerTo(questionOf(part, method, args)) as Promise<T>,
  };
}

function current(): Answers {
  const answers = Answers.current;
  if (answers === undefined) throw new Error('parts in other processes can be asked within a request only');
  return answers;
}
