import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { askThread } from '../lib/thread-client.ts';
import { SpecificationError } from './openapi-types.ts';

/** Flags of both builds: raw linear memory provided by the host, no allocator, no garbage collector. */
const COMMON = ['--runtime', 'stub', '--importMemory', '--enable', 'simd'];

/**
 * Flags of modules over the memory of a segment of vectors, which threads and modules share. Each module has its static
 * data (assertion messages) at its own address below 64 KiB, because all modules share that memory.
 */
const shared = (
  memoryBase: number,
): readonly string[] => ['--enable', 'threads', '--enable', 'relaxed-simd', '--sharedMemory', '--maximumMemory',
  '65536', '--memoryBase', String(memoryBase)];

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  vectors: shared(0x400),
  hnsw: shared(0x5000),
  clusters: shared(0xa000),
  inverted: ['--enable', 'relaxed-simd'],
  similarity: ['--enable', 'relaxed-simd'],
  // Threads share a model; its memory begins after the first page, which holds static data.
  embedding: ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '4096'],
};

/** The debug build keeps its assertions, which check bounds and invariants. */
const BUILDS = [{ suffix: '.wasm', flags: ['-O3', '--noAssert'] }, { suffix: '.debug.wasm', flags: ['-O1'] }] as const;

/**
 * Compiles the modules `asm/NAME.ts` below `root`, all of them or those with given names, to `NAME.wasm` and
 * `NAME.debug.wasm` in `target`. Files in subfolders of `asm/` are parts of modules, not modules.
 */
export async function buildKernels(root: string, target: string, names?: readonly string[]): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const name of names ?? await moduleNames(root)) {
    for (const { suffix, flags } of BUILDS) {
      await compile(root, join('asm', `${name}.ts`), [...(FLAGS[name] ?? []), ...flags, '--outFile',
        join(target, name + suffix)]);
    }
  }
}

async function moduleNames(root: string): Promise<string[]> {
  const entries = await readdir(join(root, 'asm'), { withFileTypes: true });
  const modules = entries.filter((entry) =>
    entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts')
  );
  return modules.map(({ name }) => basename(name, '.ts'));
}

/**
 * Throws with the compiler's own message if a module does not compile. The compiler runs in this process: loading it
 * takes longer than compiling most modules.
 */
async function compile(root: string, file: string, flags: readonly string[]): Promise<void> {
  // Loaded only in the thread, because it is large.
  const { default: asc } = await import('assemblyscript/asc');
  const { error, stderr } = await asc.main([file, '--baseDir', root, ...COMMON, ...flags]);
  if (error !== null) throw new SpecificationError(`${file} doesn't compile:\n${stderr.toString() || error.message}`);
}

export interface KernelsRequest {
  readonly root: string;
  readonly target: string;
}

/** Compiles all kernels like `buildKernels`, beside the work of this thread: the compiler never yields. */
export async function buildKernelsInThread(root: string, target: string): Promise<void> {
  const file = new URL('kernels-thread.ts', import.meta.url);
  const failure = (): SpecificationError => new SpecificationError('the compiler of the kernels crashed');
  const problem = await askThread<KernelsRequest, string | null>(file, { root, target }, {
    name: 'the compiler of the kernels',
    failure,
  });
  if (problem !== null) throw new SpecificationError(problem);
}
