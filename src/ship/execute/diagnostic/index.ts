export { runDiagnostic } from './run-diagnostic.ts';
