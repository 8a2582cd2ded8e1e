export { thisMachine, type Machine, type Variables } from './machine.ts';
export { findProgram } from './programs.ts';
export { Sandboxes } from './sandboxes.ts';
export { closedAbove, isWithin, viewOf, type View } from './view.ts';
export { SANDBOXES, type SandboxName, type User } from './wrap.ts';
