export { killLeftovers, livingProcesses, type Marks } from './leftovers.ts';
export { runProcess, type ProcessEnd, type ProcessPlan, type ProcessSignals } from './run-process.ts';
