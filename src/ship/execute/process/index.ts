export { endUser, killLeftovers, livingProcesses, type Marks, usersWithProcesses } from './leftovers.ts';
export { isAliveAs, ownName } from './process-name.ts';
export { type ProcessEnd, type ProcessPlan, type ProcessSignals, releaseUser, runProcess,
  watchUser } from './run-process.ts';
