import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = createRequire(import.meta.url).resolve('@sparticuz/chromium');

/**
 * Returns the program of the package, which is unpacked once into a folder of its own. The package itself unpacks in
 * place and takes what another process is still writing for the program, so that test files that begin at once had no
 * browser.
 */
export async function chromiumPath(folder?: string): Promise<string> {
  const unpacked = folder ?? join(tmpdir(), `quire-chromium-${await versionOf()}-${process.getuid?.() ?? 0}`);
  if (!existsSync(unpacked)) await unpack(unpacked);
  return join(unpacked, 'chromium');
}

async function versionOf(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(dirname(PACKAGE), '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

const UNPACK = `await (await import(${JSON.stringify(PACKAGE)})).default.executablePath()`;

/** Unpacks beside the folder and renames at the end; whoever is later keeps what is there. */
async function unpack(folder: string): Promise<void> {
  const fresh = await mkdtemp(`${folder}-`);
  try {
    // The package unpacks into the folder for temporary files, which a process has only one of.
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', UNPACK], {
      env: { ...process.env, TMPDIR: fresh },
    });
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
