import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildKernelsInThread } from './build-kernels.ts';
import { SpecificationError } from './openapi-types.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'quire-kernels-'));
  await mkdir(join(root, 'asm'));
});

afterEach(() => rm(root, { recursive: true }));

it('compiles each kernel with and without its assertions', async () => {
  await writeFile(join(root, 'asm', 'twice.ts'), 'export function twice(x: i32): i32 { assert(x > 0); return x * 2; }');
  await buildKernelsInThread(root, join(root, 'wasm'));
  expect((await readdir(join(root, 'wasm'))).sort()).toEqual(['twice.debug.wasm', 'twice.wasm']);
});

it('says where a kernel does not compile', async () => {
  await writeFile(join(root, 'asm', 'wrong.ts'), 'export function wrong(): i32 { return missing; }');
  const compiled = buildKernelsInThread(root, join(root, 'wasm'));
  await expect(compiled).rejects.toThrow(SpecificationError);
  await expect(compiled).rejects.toThrow(/wrong\.ts doesn't compile:[^]*missing/);
});
