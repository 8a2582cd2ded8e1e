/** Names of fonts that are used for code. */
export const MONOSPACE =
  /^(?:consolas|courier(?: new)?|lucida console|menlo|monaco|dejavu sans mono|liberation mono|cascadia (?:code|mono)|source code pro)$/i;
