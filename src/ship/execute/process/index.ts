export { endUser, killLeftovers, livingProcesses, usersWithProcesses, type Marks } from './leftovers.ts';
export { isAliveAs, ownName } from './process-name.ts';
export { runProcess, watchUser, releaseUser, type ProcessEnd, type ProcessPlan, type ProcessSignals } from './run-process.ts';
