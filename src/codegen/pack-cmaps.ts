// Packs the predefined CMaps of PDF's CJK fonts into one file that the converter reads:
//   node src/codegen/pack-cmaps.ts FOLDER   where FOLDER is `cmaps` of the pdfjs-dist release that unpdf is built from
// It is run by hand when a release of pdf.js brings other CMaps; the last change of Adobe's files was in 2023.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected the folder with the .bcmap files as the argument');
const names = (await readdir(folder)).filter((name) => name.endsWith('.bcmap')).sort();
const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
const lengths = Object.fromEntries(names.map((name, index) => [name, files[index]!.length]));
const license = await readFile(join(folder, 'LICENSE'), 'utf8');
// One line with the length of each file, the licence that must accompany them, then the files one after another.
const head = Buffer.from(`${JSON.stringify({ lengths, license })}\n`);
const packed = brotliCompressSync(Buffer.concat([head, ...files]), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
const out = join(import.meta.dirname, '..', 'convert', 'pdf', 'cmaps.br');
await writeFile(out, packed);
console.log(`${out}: ${names.length} CMaps in ${packed.length} bytes`);
