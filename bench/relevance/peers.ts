import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultMiniSearch, defaultOrama, fts5, type Job, lucene10, miniSearch, orama, type Peer,
  tantivy } from '../peers/index.ts';
import { writeQueries } from '../peers/queries-file.ts';
import type { Judged } from './judged.ts';
import type { Rankings } from './quire.ts';

/** A peer configured for ranking: with its stop words and stemming, over one field or two. */
export interface Contender {
  readonly name: string;
  readonly peer: Peer;
  readonly fields: Job['fields'];
}

export const CONTENDERS: readonly Contender[] = [{ name: 'Lucene 10 BM25', peer: lucene10, fields: 1 }, {
  name: 'Lucene 10 BM25F, title at weight 3',
  peer: lucene10,
  fields: 2,
}, { name: 'tantivy BM25', peer: tantivy, fields: 1 }, { name: 'SQLite FTS5 bm25', peer: fts5, fields: 1 }, {
  name: 'MiniSearch (BM25+)',
  peer: miniSearch,
  fields: 1,
}, { name: 'Orama BM25, every word a prefix', peer: orama, fields: 1 }];

/** Peers that rank pages by titles and texts, configured as by their users. */
export const CONTENDERS_FOR_PAGES: readonly Contender[] = [{ name: 'Lucene 10 BM25', peer: lucene10, fields: 1 }, {
  name: 'Lucene 10 BM25F, title at weight 3',
  peer: lucene10,
  fields: 2,
}, { name: 'MiniSearch with its defaults, title and text', peer: defaultMiniSearch, fields: 2 }, {
  name: 'Orama with its defaults, title and text',
  peer: defaultOrama,
  fields: 2,
}];

/** The rankings of a peer, or why there are none. */
export async function ranksOf({ peer, fields }: Contender, folder: string,
  { documents, queries }: Pick<Judged, 'documents' | 'queries'>, limit: number): Promise<Rankings | string>
{
  const reason = peer.missing?.();
  if (reason !== undefined) return reason;
  const own = join(folder, 'relevance-peer');
  await mkdir(own);
  try {
    const files = { texts: join(own, 'texts.txt'), queries: join(own, 'queries.tsv') };
    await writeFile(files.texts, documents.map(({ title, text }) =>
      `${inOneLine(title)}\t${inOneLine(text)}\n`
    ).join(''));
    writeQueries(files.queries, queries.map(({ text }) => ({ kind: 'or', words: inOneLine(text).split(' ') })));
    const answer = await peer.run({
      ...files,
      mode: 'rank',
      folder: own,
      stemming: true,
      stopWords: true,
      fields,
      limit,
      indexSeconds: 600,
      querySeconds: 0,
    });
    return new Map(
      queries.map(({ id }, query) => [id, answer.rankings![query]!.map((document) => documents[document]!.id)]),
    );
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(own, { recursive: true });
  }
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
