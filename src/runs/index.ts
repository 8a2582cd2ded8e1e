import type { Operations } from '../../generated/runs/operations.ts';
import type { Handlers } from '../operations/index.ts';
import { createSystem, type SystemOptions } from './system/index.ts';

/** The run-queue service without its protocols; so far it tells of its own health. */
export interface RunQueueService {
  readonly handlers: Handlers<Operations>;
}

export function createRunQueueService(options: SystemOptions): RunQueueService {
  return { handlers: createSystem(options).handlers };
}
