/** Version of the interface (contract section 9). */
export { API_VERSION as INTERFACE_VERSION } from '../../../generated/docs/version.ts';
