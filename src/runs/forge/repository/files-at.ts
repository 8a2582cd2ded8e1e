import { decodeUtf8 } from '../../../lib/bytes.ts';
import { createPathGlobs } from '../../../lib/path-glob.ts';
import type { FilesAt } from '../port.ts';
import type { Mirror } from './mirror.ts';

/** Most files, and most bytes of them together. */
const [MAX_FILES, MAX_BYTES] = [200, 196_608];
/** Most files that fit and are left out by name; the rest are counted. */
const MAX_NAMED = 100;
/** Most bytes of a list of all files: about 300,000 of them. */
const MAX_LIST = 32 * 1024 * 1024;
/** Most bytes of the answer with all contents: as if each of the files had the most bytes, with a line before it. */
const MAX_CONTENTS = MAX_FILES * (MAX_BYTES + 200);

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
}

/**
 * The text files that fit patterns, of which the last that fits a path decides: at most 200 with 192 KiB together.
 * Links, submodules, files that are not text in UTF-8, and what is too much are left out. Rejects with a `GitFailure`.
 */
export async function filesAt(mirror: Mirror, commit: string, ref: string,
  patterns: readonly string[]): Promise<FilesAt>
{
  await mirror.fetch(commit, ref);
  const fits = createPathGlobs(patterns);
  const found = (await entriesOf(mirror, commit)).filter(({ path }) => fits(path));
  const regular = found.filter(isRegular).slice(0, MAX_FILES);
  const sizes = await sizesOf(mirror, regular);
  const small = regular.filter(({ blob }) => (sizes.get(blob) ?? Infinity) <= MAX_BYTES);
  const contents = await contentsOf(mirror, small);
  // Files may have one content.
  const within = new Set(regular);
  const files: { path: string; text: string }[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  let room = MAX_BYTES;
  for (const entry of found) {
    const { path, mode, blob } = entry;
    const text = contents.get(blob);
    const size = sizes.get(blob);
    if (mode === LINK) leftOut.push({ path, reason: 'a link' });
    else if (mode === SUBMODULE) leftOut.push({ path, reason: 'a submodule' });
    else if (size === undefined || !within.has(entry)) leftOut.push({ path, reason: `more than ${MAX_FILES} files` });
    else if (text === undefined && size <= MAX_BYTES) leftOut.push({ path, reason: 'not text in UTF-8' });
    else if (text === undefined || size > room) leftOut.push({ path, reason: `no room for its ${size} bytes` });
    else {
      files.push({ path, text });
      room -= size;
    }
  }
  return {
    commit,
    files,
    leftOut: leftOut.slice(0, MAX_NAMED),
    furtherLeftOut: Math.max(0, leftOut.length - MAX_NAMED),
  };
}

const [LINK, SUBMODULE] = ['120000', '160000'];

const isRegular = ({ mode }: Entry): boolean => mode !== LINK && mode !== SUBMODULE;

async function entriesOf(mirror: Mirror, commit: string): Promise<Entry[]> {
  const list = (await mirror.read(['ls-tree', '-r', '-z', '--full-tree', commit], MAX_LIST)).toString();
  return list.split('\0').flatMap((line) => {
    const [, mode, blob, path] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return mode === undefined || blob === undefined || path === undefined ? [] : [{ mode, blob, path }];
  });
}

const namesOf = (entries: readonly Entry[]): string[] => [...new Set(entries.map(({ blob }) => blob))];

/** Bytes of each file, by the name of its content. */
async function sizesOf(mirror: Mirror, entries: readonly Entry[]): Promise<Map<string, number>> {
  const blobs = namesOf(entries);
  if (blobs.length === 0) return new Map();
  await mirror.fetchContents(blobs);
  const text = (await mirror.read(['cat-file', '--batch-check'], undefined, `${blobs.join('\n')}\n`)).toString();
  return new Map(text.split('\n').flatMap((line) => {
    const [, blob, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    return blob === undefined ? [] : [[blob, Number(size)] as const];
  }));
}

/** Texts by the names of their contents, without those that are not text. */
async function contentsOf(mirror: Mirror, entries: readonly Entry[]): Promise<Map<string, string>> {
  const blobs = namesOf(entries);
  const texts = new Map<string, string>();
  if (blobs.length === 0) return texts;
  const bytes = await mirror.read(['cat-file', '--batch'], MAX_CONTENTS, `${blobs.join('\n')}\n`);
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\n', at);
    const [blob = '', , size = '0'] = bytes.toString('latin1', at, end).split(' ');
    const content = bytes.subarray(end + 1, end + 1 + Number(size));
    const text = content.includes(0) ? undefined : decodeUtf8(content);
    if (text !== undefined) texts.set(blob, text);
    at = end + 1 + content.length + 1;
  }
  return texts;
}
