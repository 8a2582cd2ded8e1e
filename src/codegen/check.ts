// `npm run check`: whether citations and links resolve, whether generated/ matches the specifications, whether types,
// style and format are correct, and the measures of the house. All checks run at the same time, since none of them
// writes anything that another one reads.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs a program; returns its exit code. */
async function run(program: string, ...args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const codes = await Promise.all([run(process.execPath, join(import.meta.dirname, 'documents', 'check-documents.ts')),
  run(process.execPath, join(import.meta.dirname, 'main.ts'), '--check'),
  run(process.execPath, join(import.meta.dirname, 'format.ts'), '--check'),
  run(process.execPath, join(import.meta.dirname, 'house', 'check-house.ts')),
  run(process.execPath, join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc')),
  run(join(ROOT, 'node_modules', '.bin', 'oxlint'))]);
process.exitCode = Math.max(...codes);
