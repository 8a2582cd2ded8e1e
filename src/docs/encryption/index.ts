export { createEncryption, type Encryption } from './encryption.ts';
