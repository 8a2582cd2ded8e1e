/** The entry point to the copies of checkpoints that several machines share. */
export { CheckpointCopies, type ViewCopies } from './copies.ts';
export { type CopiesSettings, createCheckpointCopies } from './create.ts';
