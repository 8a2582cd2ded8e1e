export { registerImportWiki } from './register.ts';
