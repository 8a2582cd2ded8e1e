// Generated from the specifications by `npm run generate`. Do not edit.

/** Version of the interface. */
export const API_VERSION = '2.15.0';
