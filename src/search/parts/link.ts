import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';

/** One partition of a collection in one view. */
export interface PartAddress {
  /** Name of the view. */
  readonly view: string;
  /** Lowercased name of the collection. */
  readonly collection: string;
  /** From 0, and the number of partitions. */
  readonly number: number;
  readonly of: number;
}

/** A call of a method of a part; what is passed and returned is plain data, as `node:v8` serializes it. */
export interface Question {
  readonly part: PartAddress;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Two questions with the same key have the same answer. */
  readonly key: string;
  /** Whether the replica is asked that was asked such questions before, as long as it answers. */
  readonly isSteady?: boolean;
}

/**
 * Reads a part of a collection that is in the memory of another process. A request knows the answers that it has asked
 * for already, each of which it asks for once (`Answers`).
 */
export interface PartLink {
  readonly part: PartAddress;
  /** What a method returned. Throws `Unanswered` if this request does not know it yet. */
  known<T>(method: string, ...args: readonly unknown[]): T;
  /**
   * As `known`, for what replicas of a part do not have in common: the one that was asked so before is asked, as long
   * as it answers.
   */
  steady<T>(method: string, ...args: readonly unknown[]): T;
  /**
   * What a method returned when this request called it first, whatever the arguments are now: a stand-in that follows
   * its part asks for what is new since a state of its own, which the answer changes. It is steady, too.
   */
  first<T>(method: string, ...args: readonly unknown[]): T;
  /** As `known`, but asks the part if this request does not know it. */
  ask<T>(method: string, ...args: readonly unknown[]): Promise<T>;
}

/** The work of a request cannot go on before some parts have answered: `gathered` asks them and does it again. */
export class Unanswered extends Error {
  readonly questions: readonly Question[];

  constructor(questions: readonly Question[]) {
    // The stack, which nobody reads, would take a tenth of the time of a request.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${questions.length} questions to other processes are not answered yet`);
    Error.stackTraceLimit = stackTraceLimit;
    this.questions = questions;
  }
}

export function questionOf(part: PartAddress, method: string, args: readonly unknown[]): Question {
  const { view, collection, number, of } = part;
  const hash = createHash('sha1').update(serialize(args)).digest('base64');
  return { part, method, args, key: JSON.stringify([view, collection, number, of, method, hash]) };
}

/** A question whose arguments do not count: see `PartLink.first`. */
export function firstQuestionOf(part: PartAddress, method: string, args: readonly unknown[]): Question {
  const { view, collection, number, of } = part;
  return { part, method, args, key: JSON.stringify([view, collection, number, of, method]), isSteady: true };
}

/**
 * Reads each part, as `parts.map` does, but so that all those that must be asked are asked at the same time. Throws
 * `Unanswered` for all of them.
 */
export function readEach<Part, T>(parts: readonly Part[], read: (part: Part, i: number) => T): T[] {
  const found: T[] = [];
  const questions: Question[] = [];
  for (const [i, part] of parts.entries()) {
    try {
      found.push(read(part, i));
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      questions.push(...error.questions);
    }
  }
  if (questions.length > 0) throw new Unanswered(questions);
  return found;
}

/** Does two reads as `readEach` does: what both must ask, they ask at the same time. */
export function readBoth<A, B>(a: () => A, b: () => B): [A, B] {
  return readEach<() => A | B, A | B>([a, b], (read) => read()) as [A, B];
}
