import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

const FOLDER = join(import.meta.dirname, 'recorded');
const NAME = /^documents-(\d+)\.zst$/;

/** Formats for which there is a recording, in ascending order. */
export async function recordedFormats(): Promise<number[]> {
  const names = await readdir(FOLDER);
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number).sort((a, b) => a - b);
}

const fileOf = (format: number): string => join(FOLDER, `documents-${String(format).padStart(2, '0')}.zst`);

/**
 * Checkpoints of views of the encrypted collection do not compress, so they are left out; a view without one is rebuilt from
 * the database.
 */
const LEFT_OUT = /\/secrets\.idx$|\.lock$/;

/** Stores the files of a folder as the recording of a format; returns its size in bytes. */
export async function keepRecording(format: number, folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)).filter((file) => !LEFT_OUT.test(file)).sort();
  const contents = await Promise.all(files.map(async (file) => [relative(folder, file), (await readFile(file)).toString('base64')] as const));
  const packed = await promisify(zstdCompress)(JSON.stringify(Object.fromEntries(contents)));
  await mkdir(FOLDER, { recursive: true });
  await writeFile(fileOf(format), packed);
  return packed.length;
}

/** Writes the files of a recording into a folder. */
export async function unpackRecording(format: number, folder: string): Promise<void> {
  const files = JSON.parse((await promisify(zstdDecompress)(await readFile(fileOf(format)))).toString()) as Record<string, string>;
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), Buffer.from(content, 'base64'));
  }
}
