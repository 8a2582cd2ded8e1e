import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { SpecificationError } from './bundle.ts';

/** Flags of both builds: raw linear memory that the host brings, no allocator, no collector. */
const COMMON = ['--runtime', 'stub', '--importMemory', '--enable', 'simd'];

/** The debug build keeps its assertions, which check bounds and invariants. */
const BUILDS = [
  { suffix: '.wasm', flags: ['-O3', '--noAssert'] },
  { suffix: '.debug.wasm', flags: ['-O1'] },
] as const;

/**
 * Compiles every module `asm/NAME.ts` below `root` to `NAME.wasm` and `NAME.debug.wasm` in `target`.
 * Files in folders below `asm/` are parts of modules, not modules.
 */
export async function buildKernels(root: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const entries = await readdir(join(root, 'asm'), { withFileTypes: true });
  const modules = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'));
  for (const { name } of modules) {
    for (const { suffix, flags } of BUILDS) {
      await writeFile(join(target, name.replace(/\.ts$/, suffix)), await compile(root, join('asm', name), flags));
    }
  }
}

/** The bytes of one module. Throws with the compiler's own message when it doesn't compile. */
async function compile(root: string, file: string, flags: readonly string[]): Promise<Uint8Array> {
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main([file, ...flags, ...COMMON, '--outFile', 'module.wasm'], {
    readFile: (name, baseDir) => readFile(join(root, baseDir ?? '.', name), 'utf8').catch(() => null),
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined) throw new SpecificationError(`${file} doesn't compile:\n${stderr.toString()}`);
  return binary;
}
