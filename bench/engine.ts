// The full-text engine compared with Lucene 10 and tantivy: three words, two words, phrases; in process in one thread
// on the pages of MDN and on 200,000 texts, and on the latter over HTTP, compared with a bare koa route.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { measureInProcess } from './engine/in-process.ts';
import { measureOverHttp } from './engine/over-http.ts';
import { tablesOf } from './engine/tables.ts';
import { targetsOf } from './engine/targets.ts';
import { writeCollection } from './filters/collection.ts';
import { writePages } from './fulltext/texts.ts';
import { CORPUS_HINT, realCorpus } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { missing, type Section } from './support/table.ts';

const PAGES = Math.round(scaled(13_173, 500));
const DOCUMENTS = Math.round(scaled(200_000, 2000));
const WORDS = 150;

export async function benchEngine(folder: string): Promise<Section[]> {
  if ((await realCorpus()).length === 0)
    return [
      missing("The engine beside today's best",
        `it needs the pages of MDN (docs-mdn/mdn-en.ndjson.gz and mdn-en-more.ndjson.gz): ${CORPUS_HINT}`),
    ];
  const here = join(folder, 'engine');
  await mkdir(here);
  progress('engine: writing the texts');
  const pages = await measureInProcess(here, 'MDN', await writePages(join(here, 'pages.txt'), PAGES));
  const collection = await writeCollection(here, DOCUMENTS, WORDS);
  const large = await measureInProcess(here, 'sentences of MDN', collection.texts);
  const http = await measureOverHttp(here, collection, large.queries);
  await rm(here, { recursive: true });
  return [targetsOf([pages, large], http), ...tablesOf([pages, large], http)];
}
