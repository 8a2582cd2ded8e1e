/** Version of the interface, `info.version` of the specification (contract section 9); a test checks that they are equal. */
export const INTERFACE_VERSION = '2.15.0';
