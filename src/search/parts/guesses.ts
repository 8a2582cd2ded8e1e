import { type Question, Unanswered } from './link.ts';

/** Reads something, or returns what work can go on with until the parts are asked. */
export type Guess = <T>(read: () => T, instead: T) => T;

/**
 * What work was guessed that goes on where parts have not answered yet, so that they are asked together for all that it
 * needs, and not for one thing after the other. Wrong guesses only cost further questions.
 */
export class Guesses {
  readonly #questions: Question[] = [];

  readonly guess: Guess = (read, instead) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      this.#questions.push(...error.questions);
      return instead;
    }
  };

  /** Throws `Unanswered` if there was a guess: the result of the work does not count then. */
  check(): void {
    if (this.#questions.length > 0) throw new Unanswered(this.#questions);
  }
}

/** Does work with guesses; throws `Unanswered` if one was needed. */
export function withGuesses<T>(work: (guess: Guess) => T): T {
  const guesses = new Guesses();
  let result: T;
  try {
    result = guesses.guess<T | undefined>(() => work(guesses.guess), undefined) as T;
  } catch (error) {
    // After a guess, the work may fail where it would not fail otherwise.
    guesses.check();
    throw error;
  }
  guesses.check();
  return result;
}
