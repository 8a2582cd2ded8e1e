import { deserialize, serialize } from 'node:v8';
import { Answers, linkTo, type PartAnswer, type PartLink, type Question } from '../../search/parts/index.ts';

/** What a part answers to a call of a method. */
export type AnswerPart = (method: string, args: readonly unknown[]) => unknown;

/** Parts that are asked as those in other processes are: arguments and results become bytes on the way. */
export class Loopback {
  readonly #parts: AnswerPart[] = [];
  /** The calls so far, in order. */
  readonly asked: string[] = [];
  /** How often parts were asked by the last request. */
  rounds = 0;

  /** A link to a further part. */
  add(answer: AnswerPart): PartLink {
    const number = this.#parts.push(answer) - 1;
    return linkTo({ view: 'test', collection: 'c', number, of: 64 });
  }

  /** Does the work of a request. */
  async request<T>(work: () => T | Promise<T>): Promise<T> {
    const answers = new Answers((questions) => Promise.all(questions.map((question) => this.#answer(question))));
    try {
      return await answers.within(async () => work());
    } finally {
      this.rounds = answers.rounds;
    }
  }

  async #answer({ part: { number }, method, args }: Question): Promise<PartAnswer> {
    this.asked.push(method);
    try {
      const value: unknown = await this.#parts[number]!(method, copied(args));
      return { value: copied(value) };
    } catch (error) {
      return { error };
    }
  }
}

function copied<T>(value: T): T {
  return deserialize(serialize(value)) as T;
}
