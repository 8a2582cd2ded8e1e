export { countCertificates, hasExpired, insertCertificate, readHolder, removeExpiredCertificates,
  type StoredCertificate } from './certificate-rows.ts';
export type { Connections } from './connections.ts';
export { createShipHandlers, isOnline, type Joining, type ShipDeps, type ShipHandlers } from './handlers.ts';
export { consumeToken, idOfToken, isOfToken, readToken, removeExpiredTokens, type StoredToken } from './join-tokens.ts';
export { labelsOf, localLabels } from './labels.ts';
export { insertShip, listGone, listShips, markRevoked, readShip, removeShip, type ShipTraits, type StoredShip,
  writeDrain, writeLastSeen, writeTraits } from './ship-rows.ts';
