export { Hold } from './hold.ts';
export { Session, type SessionOwner, type SessionEnd } from './session.ts';
