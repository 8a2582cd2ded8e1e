export type { FleetTls } from './credentials.ts';
export { startFleetServers, type FleetServers, type FleetServersOptions } from './servers.ts';
