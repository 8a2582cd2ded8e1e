export { Masker, type MaskStream } from './masker.ts';
export { isSecretName } from './secret-patterns.ts';
