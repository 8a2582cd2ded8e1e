import { readFileSync } from 'node:fs';

/** The build of a kernel: the debug build checks bounds and invariants, and is for tests. */
export type KernelBuild = 'release' | 'debug';

const compiled = new Map<string, WebAssembly.Module>();

/** The compiled module of `asm/NAME.ts`; each build is compiled once per process. */
export function loadKernel(name: string, build: KernelBuild = 'release'): WebAssembly.Module {
  const file = `${name}${build === 'debug' ? '.debug' : ''}.wasm`;
  let module = compiled.get(file);
  if (module === undefined) {
    module = new WebAssembly.Module(readFileSync(new URL(`../../generated/wasm/${file}`, import.meta.url)));
    compiled.set(file, module);
  }
  return module;
}

/**
 * Instantiates a module over a memory. In a debug build, a failed assertion throws an error with its message and
 * position.
 */
export function instantiateKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Exports {
  const abort = (message: number, file: number, line: number, column: number): never => {
    throw new Error(`${textAt(memory, message)} (${textAt(memory, file)}:${line}:${column})`);
  };
  return new WebAssembly.Instance(module, { env: { memory, abort } }).exports;
}

/** Reads a string of AssemblyScript: UTF-16, preceded by its length in bytes. */
function textAt(memory: WebAssembly.Memory, address: number): string {
  if (address === 0) return '';
  const length = new DataView(memory.buffer).getUint32(address - 4, true);
  return Buffer.from(memory.buffer, address, length).toString('utf16le');
}
