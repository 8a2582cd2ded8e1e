export { writeAccounts } from './accounts.ts';
export type { Containers } from './containers.ts';
export { findProgram, type Machine, thisMachine, type Variables } from './machine.ts';
export { ownUser, Sandboxes } from './sandboxes.ts';
export { closedAbove, isWithin, type View, viewOf } from './view.ts';
export { SANDBOXES, type SandboxName, type User } from './wrap.ts';
