// `npm run check`: whether citations and links resolve, whether generated/ matches the specifications, and whether types
// and style are correct. The linter runs beside the other checks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs programs in sequence until one fails; returns the exit code of the last one. */
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
    [process.execPath, join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc')],
  ),
  inTurn([join(ROOT, 'node_modules', '.bin', 'oxlint')]),
]);
process.exitCode = Math.max(...codes);
