export { Hold } from './hold.ts';
export { Session, type Captain, type SessionEnd } from './session.ts';
