export { type Neighbour, Neighbours } from './neighbours.ts';
export { termOf, type TermRules, trainHere, type Training, type TrainingDocument, type TrainingText,
  TrainingThread } from './training.ts';
