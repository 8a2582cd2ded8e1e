/** The entry point of the fleet area: ships join, connect, receive runs and report on them. */
export { Authority, type ServerMaterial } from './authority/authority.ts';
export { createFleet, type Fleet, type FleetDeps } from './fleet.ts';
export { FleetRefusal, type FleetService, type Peer, type Session } from './port.ts';
export { requireRef } from './refs.ts';
export { Roster } from './roster.ts';
