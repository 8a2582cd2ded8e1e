export { definitionOf } from './definition-of.ts';
export type { ShipCredentials } from './fleet-client.ts';
export { openClient, type ServerAddress } from './open-client.ts';
export { RemoteLink } from './remote-link.ts';
