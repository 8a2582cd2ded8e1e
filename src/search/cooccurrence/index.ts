export { type Neighbour, Neighbours } from './neighbours.ts';
export { termOf, type TermRules } from './trainer.ts';
export type { TrainingDocument, TrainingText } from './trainer.ts';
export { trainHere, type Training, TrainingThread } from './training.ts';
