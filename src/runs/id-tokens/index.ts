/** The entry point of the area of tokens with which steps sign in elsewhere. */
export { createIdTokens, type IdTokens } from './id-tokens.ts';
