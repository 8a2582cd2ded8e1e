// `npm run check`: whether citations and links lead somewhere, whether generated/ is what the specifications say, and whether types
// and style hold. The linter takes as long as the others together, so it runs beside them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const BIN = join(ROOT, 'node_modules', '.bin');

/** Runs programs one after the other until one fails; returns the code that the last one ended with. */
async function inTurn(...programs: readonly (readonly [string, ...string[]])[]): Promise<number> {
  for (const [program, ...args] of programs) {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) return code ?? 1;
  }
  return 0;
}

const codes = await Promise.all([
  inTurn(
    [process.execPath, join(import.meta.dirname, 'documents', 'check-documents.ts')],
    [process.execPath, join(import.meta.dirname, 'main.ts'), '--check'],
    [join(BIN, 'tsc')],
  ),
  inTurn([join(BIN, 'eslint')]),
]);
process.exitCode = Math.max(...codes);
