export { Hold } from './hold.ts';
export { Session, type SessionEnd, type SessionOwner } from './session.ts';
