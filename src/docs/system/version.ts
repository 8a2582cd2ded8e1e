/** Version of the interface, `info.version` of the specification (contract section 9); a test holds them together. */
export const INTERFACE_VERSION = '2.15.0';
