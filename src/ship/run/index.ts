export { HeldRun } from './held-run.ts';
export { refKey } from '../ref-key.ts';
