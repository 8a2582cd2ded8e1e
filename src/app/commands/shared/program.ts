/** A checkout runs from its sources, through npm; the published package is compiled and installs `quire`. */
const isCheckout = import.meta.url.endsWith('.ts');

/** The command to type for this program, and for each of its services. */
export const PROGRAM = isCheckout ? 'npm run quire --' : 'quire';
export const START_DOCS = isCheckout ? 'npm start' : 'quire docs';
export const START_RUNS = isCheckout ? 'npm run start:runs' : 'quire runs';
