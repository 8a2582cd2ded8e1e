export { endings, registerImport } from './register.ts';
export { runImport } from './run-import.ts';
