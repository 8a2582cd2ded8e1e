// The command line: `quire docs`, `quire runs`, and the clients of both services.
import { Command } from 'commander';
import { registerExport, registerImport, registerImportWiki, registerMigrateStore, registerSearch, registerSync } from './commands/index.ts';
import { registerDocs } from './commands/docs.ts';
import { registerRuns } from './commands/runs/index.ts';
import { registerShip } from './commands/ship.ts';
import { BUILD_VERSION } from './version.ts';

const program = new Command('quire')
  .description('a version-controlled store of markdown documents with search, and a run queue with remote workers')
  .version(BUILD_VERSION)
  .showHelpAfterError('(add --help for what is possible)');

registerDocs(program);
registerRuns(program);
registerShip(program);
registerImport(program);
registerSync(program);
registerImportWiki(program);
registerExport(program);
registerMigrateStore(program);
registerSearch(program);

await program.parseAsync();
