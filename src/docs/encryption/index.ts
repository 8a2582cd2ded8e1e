export { createEncryption, type Encryption, type EncryptionAreas } from './encryption.ts';
