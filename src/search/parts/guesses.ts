import { type Question, Unanswered } from './link.ts';

/** Reads something, or returns what work can go on with until the parts are asked. */
export type Guess = <T>(read: () => T, instead: T) => T;

/**
 * Does work that goes on with guesses where parts have not answered yet, so that they are asked together for all that
 * it needs, and not for one thing after the other. Throws `Unanswered` if a guess was needed: the result does not count
 * then. Wrong guesses only cost further questions.
 */
export function withGuesses<T>(work: (guess: Guess) => T): T {
  const questions: Question[] = [];
  const guess: Guess = (read, instead) => {
    try {
      return read();
    } catch (error) {
      questions.push(...questionsOf(error));
      return instead;
    }
  };
  let result: T;
  try {
    result = work(guess);
  } catch (error) {
    // With a guess, the work may fail where it would not fail otherwise.
    if (questions.length === 0) throw error;
    throw new Unanswered(error instanceof Unanswered ? [...questions, ...error.questions] : questions);
  }
  if (questions.length > 0) throw new Unanswered(questions);
  return result;
}

function questionsOf(error: unknown): readonly Question[] {
  if (error instanceof Unanswered) return error.questions;
  throw error;
}
