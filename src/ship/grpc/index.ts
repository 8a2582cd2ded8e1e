export type { ShipCredentials } from './fleet-client.ts';
export { definitionOf, openClient, type ServerAddress } from './open-client.ts';
export { RemoteLink } from './remote-link.ts';
