export { Answers, type AskParts, gathered, linkTo, type PartAnswer } from './answers.ts';
export { type PartAddress, type PartLink, type Question, readBoth, readEach, Unanswered } from './link.ts';
