export type { FleetTls } from './credentials.ts';
export { type FleetServers, type FleetServersOptions, startFleetServers } from './servers.ts';
