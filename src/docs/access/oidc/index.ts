export type { ClaimedRights } from './claims.ts';
export { oidcHandlers } from './handlers.ts';
export { Issuer } from './issuer.ts';
export { Oidc } from './oidc.ts';
export type { OidcSettings } from './settings.ts';
