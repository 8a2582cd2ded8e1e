/** The entry point of the run-queue service. */
export { createRunQueueService, type RunQueueOptions, type RunQueueService } from './service.ts';
