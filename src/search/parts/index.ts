export { Answers, apart, type AskParts, gathered, linkTo, type PartAnswer } from './answers.ts';
export { type Guess, Guesses, withGuesses } from './guesses.ts';
export { type PartAddress, type PartLink, type Question, readEach, Unanswered } from './link.ts';
