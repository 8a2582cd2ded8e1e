export { Answers, apart, type AskParts, gathered, gatheredEach, linkTo, type PartAnswer } from './answers.ts';
export { type Guess, Guesses, withGuesses } from './guesses.ts';
export { type PartAddress, type PartLink, type Question, readBoth, readEach, Unanswered } from './link.ts';
export { type Holds, type PackedSet, packSet, unpackSet } from './packed-set.ts';
