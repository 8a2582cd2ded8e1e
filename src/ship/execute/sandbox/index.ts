export { thisMachine, type Machine, type Variables } from './machine.ts';
export { findProgram } from './programs.ts';
export { isSandbox, Sandboxes } from './sandboxes.ts';
export { separateUser } from './separate-user.ts';
export type { SandboxName, User } from './wrap.ts';
