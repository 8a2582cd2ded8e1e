import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const FOLDER = join(import.meta.dirname, 'recorded');

/** Whose data a recording contains: the document service's or the run queue's. */
export type Recorded = 'documents' | 'runs';

/** Formats for which there is a recording, in ascending order. */
export async function recordedFormats(of: Recorded): Promise<number[]> {
  const names = await readdir(FOLDER);
  const pattern = new RegExp(String.raw`^${of}-(\d+)\.zst$`);
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number).sort((a, b) => a - b);
}

const fileOf = (of: Recorded, format: number): string => join(FOLDER, `${of}-${String(format).padStart(2, '0')}.zst`);

/**
 * A recording is a compressed list of files: the length of the list as u32, the list as JSON, and the content of each
 * file in that order.
 */
interface Listed {
  readonly name: string;
  readonly bytes: number;
}

/**
 * The window is larger than any recording, so that a page of a database is stored once, even if a backup contains it as
 * well.
 */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: 24 } };

/**
 * Stores the files of a folder, except those whose paths match `without`, as the recording of a format; returns its
 * size in bytes.
 */
export async function keepRecording(of: Recorded, format: number, folder: string, without: RegExp): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name))
  ).filter((name) => !without.test(name)).sort();
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
  const list = Buffer.from(JSON.stringify(files.map((name, i): Listed => ({ name, bytes: contents[i]!.length }))));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(list.length);
  const packed = await promisify(zstdCompress)(Buffer.concat([length, list, ...contents]), COMPRESSION);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(fileOf(of, format), packed);
  return packed.length;
}

/** Writes the files of a recording into a folder. */
export async function unpackRecording(of: Recorded, format: number, folder: string): Promise<void> {
  const content = await promisify(zstdDecompress)(await readFile(fileOf(of, format)));
  let at = 4 + content.readUInt32LE();
  for (const { name, bytes } of JSON.parse(content.toString('utf8', 4, at)) as Listed[]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content.subarray(at, at += bytes));
  }
}
