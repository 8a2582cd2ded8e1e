export { WorkerSupervisor, type WorkerSupervisorOptions } from './worker-supervisor.ts';
