/** The entry point of the people area: sign-in at an issuer of OpenID Connect. */
export { People } from './people.ts';
