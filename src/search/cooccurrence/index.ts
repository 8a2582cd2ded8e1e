export { Neighbours } from './neighbours.ts';
export { termOf, type TermRules, trainHere, type Training, type TrainingDocument, TrainingThread } from './training.ts';
