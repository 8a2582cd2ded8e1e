export { Authority, type AuthorityOptions, type ServerMaterial, type ShipCertificate } from './authority.ts';
