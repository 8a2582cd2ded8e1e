// Searches with highlights compared with the same searches without, over HTTP, on the pages of MDN. One client sends
// them in turn, so that both have the same conditions.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { drawQueries } from './fulltext/draw-queries.ts';
import { COLLECTION, searchOf } from './fulltext/over-http.ts';
import { writePages } from './fulltext/texts.ts';
import type { Kind } from './peers/index.ts';
import { latencyOf } from './peers/latencies.ts';
import { type Client, clientOf, type Found } from './support/client.ts';
import { CORPUS_HINT, realBodies, realCorpus } from './support/corpus.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { startQuire } from './support/server.ts';
import { figure, missing, type Section } from './support/table.ts';

const PAGES = Math.round(scaled(13_173, 500));
const SECONDS = scaled(6, 0.5);
const BATCH = 500;
const KINDS = ['term', 'or', 'and', 'phrase', 'prefix', 'fuzzy'] as const satisfies readonly Kind[];
/** The parts of documents that a response shows. */
const SHOWN = { 'keys only': { fields: ['key'] }, 'whole documents': { fields: undefined } } as const;

export async function benchHighlights(folder: string): Promise<Section[]> {
  if ((await realCorpus()).length === 0)
    return [
      missing('Highlights',
        `it needs the pages of MDN (docs-mdn/mdn-en.ndjson.gz and mdn-en-more.ndjson.gz): ${CORPUS_HINT}`),
    ];
  const here = join(folder, 'highlights');
  await mkdir(here);
  const queries = await drawQueries(await writePages(join(here, 'pages.txt'), PAGES));
  const server = await startQuire(join(here, 'highlights.db'));
  const client = clientOf(server.url);
  progress('highlights: adding the pages');
  const documents = await fill(client);
  const rows: string[][] = [];
  for (const [shown, options] of Object.entries(SHOWN)) {
    for (const kind of KINDS) {
      progress(`highlights: ${shown}, ${kind}`);
      const bodies = queries.filter((query) => query.kind === kind).map(({ words }) => ({
        ...searchOf(kind, words),
        ...options,
      }));
      const [without, withThem] = (await inTurn(client, bodies)).map((times) => latencyOf(times)) as [Latency, Latency];
      rows.push([`${kind}, ${shown}`, figure(without.p50), figure(withThem.p50),
        (withThem.p50 / without.p50).toFixed(2), (without.perSecond / withThem.perSecond).toFixed(2)]);
    }
  }
  client.close();
  await server.stop();
  await rm(here, { recursive: true });
  return [{
    title: `Searches with highlights over HTTP, POST /v1/fts, MDN: ${
      documents.toLocaleString('en-US')
    } documents, best 10, one client`,
    header: ['search', 'p50 without, microseconds', 'p50 with highlights', 'ratio of the medians',
      'ratio of the means'],
    rows,
    notes: ['The client shares the cores with the server.'],
  }];
}

type Latency = ReturnType<typeof latencyOf>;

/** Adds the pages unchanged, with their lines, which highlights read as Markdown. */
async function fill(client: Client): Promise<number> {
  let documents: object[] = [];
  let added = 0;
  const add = async () => {
    await client.post('/v1/add-batch', { collection: COLLECTION, documents });
    documents = [];
  };
  for await (const contentMd of realBodies()) {
    if (added === PAGES) break;
    documents.push({ key: `page-${added++}`, lang: 'en', contentMd });
    if (documents.length === BATCH) await add();
  }
  await add();
  return added;
}

/**
 * Milliseconds of the searches without highlights, then of those with them. The first quarter of the time is not
 * measured.
 */
async function inTurn(client: Client, bodies: readonly object[]): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  const begin = performance.now() + (SECONDS * 1000) / 4;
  for (let n = 0; performance.now() < begin + SECONDS * 1000; n++) {
    const body = bodies[(n >> 1) % bodies.length]!;
    const highlight = n % 2 === 1;
    const before = performance.now();
    await client.post<Found>('/v1/fts', { ...body, highlight });
    if (before >= begin) times[Number(highlight)]!.push(performance.now() - before);
  }
  return times;
}
