export { type Access, createAccess } from './access.ts';
export { type BackgroundUser, backgroundUserOf } from './background-user.ts';
export type { OidcSettings } from './oidc/oidc.ts';
export { recordOf } from './user-rows.ts';
