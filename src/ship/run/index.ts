export { refKey } from '../ref-key.ts';
export { HeldRun } from './held-run.ts';
