// The command line: `quire docs`, `quire runs`, and the client commands of both services.
import { runProgram } from './commands/program.ts';
import { processIo } from './commands/shared/io.ts';

await runProgram(process.argv.slice(2), processIo);
