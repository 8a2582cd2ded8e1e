// Full-text search compared with Lucene 10, tantivy, SQLite FTS5, MiniSearch, Orama and FlexSearch, on the pages of MDN
// and on 100,000 and 1,000,000 documents made of their sentences; then our own over HTTP, and after restarts. Each peer
// has a separate process.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { agreementOf, type Counted } from './fulltext/agreement.ts';
import { drawQueries, wordsToCount } from './fulltext/draw-queries.ts';
import { benchOverHttp } from './fulltext/over-http.ts';
import { benchRestart } from './fulltext/restart.ts';
import { type Outcome, tablesOf } from './fulltext/tables.ts';
import { targetsOf } from './fulltext/targets.ts';
import { type Texts, writePages, writeSynthetic } from './fulltext/texts.ts';
import { type Answer, flexSearch, forgetful, fts5, type Job, type Kind, lucene10, miniSearch, orama, type Peer, quire,
  tantivy } from './peers/index.ts';
import { type Asked, writeQueries } from './peers/queries-file.ts';
import { CORPUS_HINT, realCorpus } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { missing, type Section } from './support/table.ts';

const PEERS = [quire, forgetful, lucene10, tantivy, fts5, miniSearch, orama, flexSearch];
/**
 * Peers that keep everything in the JavaScript heap; they are left out if they would take longer than this to index.
 */
const IN_HEAP: readonly Peer[] = [miniSearch, orama, flexSearch];
const IN_HEAP_SECONDS = 45;

const INDEX_SECONDS = 100;
const QUERY_SECONDS = scaled(1, 0.1);
/** Number of pages on which the peers' numbers of matches are compared. */
const COMPARED_PAGES = 1500;

const WORDS = { hundredThousand: 150, million: 100 };

export async function benchFullText(folder: string): Promise<Section[]> {
  const title = 'Full-text search';
  if ((await realCorpus()).length === 0)
    return [
      missing(title, `it needs the pages of MDN (docs-mdn/mdn-en.ndjson.gz and mdn-en-more.ndjson.gz): ${CORPUS_HINT}`),
    ];
  const here = join(folder, 'fulltext');
  await mkdir(here);
  const file = (name: string) => join(here, `${name}.txt`);
  const pages = await measure(here, 'MDN', await writePages(file('pages'), scaled(13_173, 500)));
  const agreement = await compareCounts(here, pages.queries);
  const http = await benchOverHttp(here, pages.texts, pages.queries, QUERY_SECONDS);
  const large = await measure(here, 'sentences of MDN',
    await writeSynthetic(file('large'), scaled(100_000, 2000), WORDS.hundredThousand));
  const restart = await benchRestart(here, large.texts, large.queries);
  await rm(large.texts.file);
  progress('writing the texts of the largest collection');
  const million = await measure(here, 'sentences of MDN',
    await writeSynthetic(file('million'), scaled(1_000_000, 3000), WORDS.million), large.outcomes);
  const targets = targetsOf({ pages: pages.outcomes, million: million.outcomes, restart });
  await rm(here, { recursive: true });
  return [targets, ...pages.tables, agreement, http, ...large.tables, restart.section, ...million.tables, aboutPeers()];
}

interface Collection {
  readonly texts: Texts;
  readonly queries: readonly Asked[];
  readonly outcomes: readonly Outcome[];
  readonly tables: readonly Section[];
}

/** `smaller` is the result for a smaller collection, from which the time for this one is estimated. */
async function measure(folder: string, name: string, texts: Texts,
  smaller: readonly Outcome[] = []): Promise<Collection>
{
  const drawn = (await drawQueries(texts)).filter(({ kind }) => kind !== 'pair');
  const queries = smaller.length > 0 ? drawn : drawn.filter(({ kind }) => !HEAVY.includes(kind));
  const outcomes: Outcome[] = [];
  for (const peer of PEERS) {
    progress(`${peer.name}: ${texts.documents} documents`);
    outcomes.push(await outcomeOf(peer, folder, texts, queries, smaller.find((outcome) => outcome.peer === peer)));
  }
  return { texts, queries, outcomes, tables: tablesOf(name, texts, outcomes) };
}

const HEAVY: readonly Kind[] = ['heavy', 'heavyForms'];

async function outcomeOf(peer: Peer, folder: string, texts: Texts, queries: readonly Asked[],
  smaller: Outcome | undefined): Promise<Outcome>
{
  if (smaller !== undefined && IN_HEAP.includes(peer)) {
    if (smaller.speed?.complete !== true)
      return { peer, failure: smaller.failure ?? 'left out, as the smaller collection took it too long' };
    const foreseen = (texts.bytes / smaller.speed.bytes) * smaller.speed.indexSeconds;
    if (foreseen > IN_HEAP_SECONDS)
      return {
        peer,
        failure: `left out: indexing would take some ${foreseen.toFixed(0)} s and ${
          ((smaller.speed.sizes['heap']! * texts.bytes) / smaller.speed.bytes / 1e9).toFixed(1)
        } GB of heap`,
      };
  }
  try {
    const { speed } = await run(peer, folder, texts, queries, { mode: 'speed' });
    return {
      peer,
      ...(speed && { speed }),
      ...(speed?.complete === false &&
        { failure: `given up after ${INDEX_SECONDS} s and ${speed.documents} documents` }),
    };
  } catch (error) {
    return { peer, failure: (error as Error).message };
  }
}

async function run(peer: Peer, folder: string, texts: Texts, queries: readonly Asked[],
  job: Pick<Job, 'mode'> & Partial<Job>): Promise<Answer>
{
  const reason = peer.missing?.();
  if (reason !== undefined) throw new Error(reason);
  const own = join(folder, 'peer');
  await mkdir(own);
  try {
    const file = join(own, 'queries.tsv');
    writeQueries(file, queries);
    return await peer.run({
      texts: texts.file,
      queries: file,
      folder: own,
      stemming: true,
      stopWords: false,
      fields: 1,
      limit: 10,
      indexSeconds: INDEX_SECONDS,
      querySeconds: QUERY_SECONDS,
      ...job,
    });
  } finally {
    await rm(own, { recursive: true });
  }
}

async function compareCounts(folder: string, queries: readonly Asked[]): Promise<Section> {
  const texts = await writePages(join(folder, 'compared.txt'), scaled(COMPARED_PAGES, 500));
  const words = wordsToCount(queries);
  const counted: Counted[] = [];
  for (const peer of PEERS.filter((each) => each !== forgetful)) {
    progress(`${peer.name}: matches of ${words.length} words`);
    const answer = await run(peer, folder, texts, words, { mode: 'counts', stemming: false }).catch(() => undefined);
    if (answer?.counts !== undefined) counted.push({ peer, counts: answer.counts });
    else if (peer === quire) throw new Error('Quire did not count the matches');
  }
  return agreementOf(texts.documents, words.map(({ words: [word] }) => word!), counted);
}

function aboutPeers(): Section {
  return {
    title: 'Full-text search: how it was measured',
    header: [],
    rows: [],
    notes: [
      'Every query asks for the best 10 documents by BM25 and the exact number of matches; one query at a time, ' +
      'one thread, after a warm-up. Stemming is on, stop words are kept.',
      'Small collections are indexed three times; the median counts. Times are of adding and committing, without ' +
      'reading the texts. "Heap" is the growth of the heap.',
      ...PEERS.map((peer) => `${peer.name}: ${peer.note}.`),
    ],
  };
}
