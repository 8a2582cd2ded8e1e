// Converts the dump on its standard input like an import, and prints a line of JSON: the number of pages, and the
// resident memory in bytes before and at its peak. A small dump is converted first, so that everything has been
// initialised before.
import { WikiDumpError } from '../../convert/wiki/index.ts';
import { convertDump } from '../../docs/ingest/wiki/convert-dump.ts';
import { dumpXml } from './dump.ts';

const OPTIONS = {
  namespaces: [0],
  skipRedirects: false,
  batchSize: 500,
  pageLimit: 0,
  byteLimit: 0,
  ownsPieces: true,
  signal: new AbortController().signal,
};

await convert([
  Buffer.from(
    dumpXml(
      Array.from({ length: 2000 },
        (_, i) => ({ title: `Page ${i}`, text: `'''bold''' [[link]] {{lang|fr|mot}} `.repeat(50) })),
    ),
  ),
]);
const before = process.memoryUsage.rss();
let peak = before;
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
const pages = await convert(process.stdin);
clearInterval(watch);
console.log(JSON.stringify({ pages, before, peak }));

async function convert(dump: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
  let count = 0;
  const bytes = async function*(): AsyncGenerator<Uint8Array> {
    yield* dump;
  };
  try {
    for await (const { documents } of convertDump(bytes(), OPTIONS))
      for (const { contentMd } of documents) count += contentMd === '' ? 0 : 1;
  } catch (error) {
    if (!(error instanceof WikiDumpError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
  return count;
}
