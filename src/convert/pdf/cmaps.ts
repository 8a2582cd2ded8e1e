import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

let loaded: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

/** The predefined CMaps by file name; unpacked (1.2 MB) when the first file refers to one. */
async function load(): Promise<ReadonlyMap<string, Uint8Array>> {
  const bytes = await promisify(brotliDecompress)(await readFile(new URL('cmaps.br', import.meta.url)));
  const end = bytes.indexOf('\n');
  const { lengths } = JSON.parse(bytes.toString('utf8', 0, end)) as { lengths: Record<string, number> };
  const maps = new Map<string, Uint8Array>();
  let at = end + 1;
  for (const [name, length] of Object.entries(lengths)) {
    maps.set(name, bytes.subarray(at, at + length));
    at += length;
  }
  return maps;
}

/**
 * Gives pdf.js the predefined CMaps (ISO 32000, 9.7.5.2), which fonts for Chinese, Japanese and Korean name without
 * embedding them. pdf.js makes an instance of it; other files that it may ask for are not needed to read text.
 */
export class CMapFiles {
  /** @throws Error for a file that is not there; pdf.js then reads the font without it. */
  async fetch({ filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    loaded ??= load();
    const file = (await loaded).get(filename);
    if (file === undefined) throw new Error(`no predefined CMap is named ${filename}`);
    // pdf.js keeps and may transfer what it gets.
    return Uint8Array.from(file);
  }
}
