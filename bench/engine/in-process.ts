import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { drawQueries } from '../fulltext/draw-queries.ts';
import type { Outcome } from '../fulltext/tables.ts';
import type { Texts } from '../fulltext/texts.ts';
import { forgetful, type Kind, lucene10, type Peer, quire, tantivy } from '../peers/index.ts';
import { type Asked, writeQueries } from '../peers/queries-file.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';

export const ENGINE_KINDS = {
  or: '3 words, any',
  pair: '2 words, all',
  phrase: 'phrase of 2 words',
} as const satisfies Partial<Record<Kind, string>>;
export type EngineKind = keyof typeof ENGINE_KINDS;

const PEERS: readonly Peer[] = [quire, forgetful, lucene10, tantivy];
const SECONDS = scaled(3, 0.2);
const INDEX_SECONDS = 600;

/** The results of the peers for one set of texts. */
export interface InProcess {
  readonly name: string;
  readonly texts: Texts;
  readonly queries: readonly Asked[];
  readonly outcomes: readonly Outcome[];
}

export async function measureInProcess(folder: string, name: string, texts: Texts): Promise<InProcess> {
  const queries = (await drawQueries(texts)).filter(({ kind }) => kind in ENGINE_KINDS);
  const outcomes: Outcome[] = [];
  for (const peer of PEERS) {
    progress(`${peer.name}: ${texts.documents} documents`);
    outcomes.push(await outcomeOf(folder, texts, queries, peer));
  }
  return { name, texts, queries, outcomes };
}

async function outcomeOf(folder: string, texts: Texts, queries: readonly Asked[], peer: Peer): Promise<Outcome> {
  const reason = peer.missing?.();
  if (reason !== undefined) return { peer, failure: reason };
  const own = join(folder, 'peer');
  await mkdir(own);
  const file = join(own, 'queries.tsv');
  writeQueries(file, queries);
  try {
    const { speed } = await peer.run({
      mode: 'speed',
      texts: texts.file,
      queries: file,
      folder: own,
      stemming: true,
      stopWords: false,
      fields: 1,
      limit: 10,
      indexSeconds: INDEX_SECONDS,
      querySeconds: SECONDS,
      withoutTotals: true,
    });
    return { peer, ...(speed?.complete === true ? { speed } : { failure: `given up after ${INDEX_SECONDS} s` }) };
  } catch (error) {
    return { peer, failure: (error as Error).message };
  } finally {
    await rm(own, { recursive: true });
  }
}
