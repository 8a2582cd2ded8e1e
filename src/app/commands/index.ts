export { registerExport } from './export.ts';
export { registerImport } from './import/index.ts';
export { registerImportWiki } from './import-wiki/index.ts';
export { registerMigrateStore } from './migrate-store.ts';
export { registerSearch } from './search.ts';
export { registerSync } from './sync/index.ts';
