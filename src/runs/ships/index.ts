export { type Connections, createShipHandlers, isOnline, type ShipHandlers } from './handlers.ts';
export { consumeToken, idOfToken, isOfToken, readToken, removeExpiredTokens, type StoredToken } from './join-tokens.ts';
export { countCertificates, hasExpired, insertCertificate, insertShip, labelsOf, listGone, listShips, localLabels,
  markRevoked, readHolder, readShip, removeExpiredCertificates, removeShip, type ShipTraits, type StoredShip,
  writeLastSeen, writeTraits } from './ship-rows.ts';
