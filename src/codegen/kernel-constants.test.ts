import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { generateKernelConstants } from './kernel-constants.ts';

/** Writes the sources of kernels and returns the generated code for `name`. */
async function generated(sources: Readonly<Record<string, string>>, name: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'quire-constants-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [file, source] of Object.entries(sources)) {
    await mkdir(dirname(join(root, 'asm', file)), { recursive: true });
    await writeFile(join(root, 'asm', file), source);
  }
  await generateKernelConstants(root, join(root, 'generated'), [name]);
  return readFile(join(root, 'generated', `${name}.ts`), 'utf8');
}

describe('constants of kernels, for their hosts', () => {
  it('are evaluated, with those that they import from other kernels, and keep their documentation', async () => {
    const text = await generated({
      'first/layout.ts':
        "import { HEADER as BASE } from '../second/layout.ts';\n/** Where it begins. */\nexport const H_TOP: " +
        'usize = BASE + 4 * (1 << 3);\nconst HIDDEN: u32 = 1;\nexport const BOTH: u32 = HIDDEN | 2;',
      'second/layout.ts': 'export const HEADER: usize = 0x1_0000;',
    }, 'first');
    expect(text).toContain('/** Where it begins. */\nexport const H_TOP = 65568;\nexport const BOTH = 3;\n');
  });

  it('leave out what only the compiler knows, and what is no constant', async () => {
    expect(await generated({
      'first/parts/a.ts':
        'export const SIZE: usize = offsetof<Node>();\nexport let now: u32 = 1;\nexport const LEAST: i32 = -1;',
    }, 'first')).toMatch(/\n\nexport const LEAST = -1;\n$/);
  });

  it('have one value for each name of a kernel', async () => {
    await expect(
      generated({ 'first/a.ts': 'export const BITS: u32 = 1;', 'first/b.ts': 'export const BITS: u32 = 2;' }, 'first'),
    ).rejects.toThrow('asm/first has two constants BITS: 1 and 2; rename one');
  });
});
