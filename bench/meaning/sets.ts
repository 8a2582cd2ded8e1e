// The sets for measuring vector search: questions about MDN in its own and in other words (`questions.json`, which was
// written from knowledge of the pages and is not changed), judged collections, and questions about dialogues.
// `other-answers.json` has the further pages that answer a question in other words, by the page that it was written
// for: of the ten best pages of each kind of search, pooled and shuffled, those were picked that answer the question,
// without knowing which search had found them. `asked.json` has further pages, drawn at random from the parts of MDN,
// each with a question in the page's words, one in other words, and keywords; they were written with the first
// paragraphs of the page at hand. Of each set, queries with an even number are for fitting, the others for measuring.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Judged, judgedCollection } from '../relevance/judged.ts';
import { type KnownItems, knownItems } from '../relevance/known-items.ts';
import { longQueriesOf } from '../relevance/long-queries.ts';
import { mrr10, qualityOf } from '../relevance/measures.ts';
import type { Rankings } from '../relevance/quire.ts';
import { corpusFolder, linesOf } from '../support/corpus.ts';

/** Documents with questions whose answers are known. */
export interface QuestionSet {
  readonly name: string;
  readonly measure: string;
  readonly documents: Judged['documents'];
  readonly queries: Judged['queries'];
  /** From 0 to 1. */
  readonly quality: (rankings: Rankings) => number;
}

/** The quality of rankings of some of a set's queries; the others would count as zero, so the mean is scaled. */
export function valueOf({ quality, queries }: QuestionSet, rankings: Rankings): number {
  return (quality(rankings) * queries.length) / rankings.size;
}

/** The known items as a set. */
export function knownSet({ pages: documents, items }: KnownItems): QuestionSet {
  return {
    name: 'MDN, known items',
    measure: 'MRR@10',
    documents,
    queries: items.map(({ query }, i) => ({ id: String(i), text: query })),
    quality: (rankings) =>
      mrr10(items.map(({ expected }, i) => ({ ranking: rankings.get(String(i)) ?? [], expected }))),
  };
}

interface Question {
  readonly page: string;
  readonly direct: string;
  readonly paraphrase: string;
}

/** How somebody asks for a page: in a sentence with the page's words or with others, or in some words of the page. */
const KINDS = ['direct', 'paraphrase', 'keywords'] as const;

type AskedPage = { readonly page: string } & Readonly<Record<(typeof KINDS)[number], string>>;

/** Sets over the same documents, which share an index. */
export interface Collection {
  readonly name: string;
  readonly documents: Judged['documents'];
  readonly sets: readonly QuestionSet[];
}

/** The questions about MDN, direct ones and paraphrases. */
export function questionTexts(): string[] {
  return questionsOfMdn().flatMap(({ direct, paraphrase }) => [direct, paraphrase]);
}

/** The collections that are available. */
export async function collections(): Promise<Collection[]> {
  const found = [await mdn(), await judged('med'), await judged('cranfield'), await sessions()];
  return found.filter((collection) => collection !== undefined);
}

function questionsOfMdn(): Question[] {
  return JSON.parse(readFileSync(new URL('questions.json', import.meta.url), 'utf8')) as Question[];
}

function askedOfMdn(): AskedPage[] {
  return JSON.parse(readFileSync(new URL('asked.json', import.meta.url), 'utf8')) as AskedPage[];
}

function otherAnswers(): Partial<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(new URL('other-answers.json', import.meta.url), 'utf8')) as Partial<
    Record<string, readonly string[]>
  >;
}

async function mdn(): Promise<Collection | undefined> {
  const pages = (await knownItems())?.pages;
  if (pages === undefined) return undefined;
  const questions = questionsOfMdn();
  const asked = askedOfMdn();
  const others = otherAnswers();
  const setOf = (name: string,
    items: readonly { readonly query: string; readonly pages: readonly string[] }[]): QuestionSet => ({
      name: `MDN, ${name}`,
      measure: 'MRR@10',
      documents: pages,
      queries: items.map(({ query }, i) => ({ id: String(i), text: query })),
      quality: (rankings) =>
        mrr10(items.map(({ pages }, i) => ({ ranking: rankings.get(String(i)) ?? [], expected: new Set(pages) }))),
    });
  return {
    name: 'mdn',
    documents: pages,
    sets: [
      setOf('direct', questions.map(({ page, direct }) => ({ query: direct, pages: [page] }))),
      setOf('paraphrase', questions.map(({ page, paraphrase }) => ({ query: paraphrase, pages: [page] }))),
      setOf('paraphrase, any answer', questions.map(({ page, paraphrase }) => ({
        query: paraphrase,
        pages: [page, ...others[page] ?? []],
      }))),
      ...KINDS.map((kind) => setOf(`asked, ${kind}`, asked.map((one) => ({ query: one[kind], pages: [one.page] })))),
    ],
  };
}

async function judged(name: string): Promise<Collection | undefined> {
  const found = await judgedCollection(name);
  if (found === undefined) return undefined;
  const setOf = (judgements: Judged,
    counted: (rankings: Rankings) => Rankings = (rankings) => rankings): QuestionSet => ({
      name: judgements.name,
      measure: 'nDCG@10',
      documents: judgements.documents,
      queries: judgements.queries,
      quality: (rankings) => qualityOf(counted(rankings), judgements.relevance).ndcg10,
    });
  if (name !== 'cranfield') return { name, documents: found.documents, sets: [setOf(found)] };
  const long = longQueriesOf(found);
  return {
    name,
    documents: found.documents,
    sets: [setOf(found), setOf(long.judged, (rankings) => long.residual(rankings))],
  };
}

/** Dialogues of the Schema-Guided Dialogue data set, one per document. */
async function sessions(): Promise<Collection | undefined> {
  const folder = corpusFolder('memory');
  if (folder === undefined) return undefined;
  const documents: { id: string; title: string; text: string }[] = [];
  for await (const line of linesOf(join(folder, 'sgd-sessions.ndjson.gz'))) {
    const { session_id: id, turns } = JSON.parse(line) as { session_id: string;
      turns: { speaker: string; text: string }[] };
    documents.push({ id, title: '', text: turns.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n\n') });
  }
  const relevance = new Map<string, ReadonlyMap<string, number>>();
  const queries: { id: string; text: string }[] = [];
  for await (const line of linesOf(join(folder, 'sgd-questions.ndjson'))) {
    const { id, text, session_id: session } = JSON.parse(line) as { id: string; text: string; session_id: string };
    queries.push({ id, text });
    relevance.set(id, new Map([[session, 1]]));
  }
  return {
    name: 'sessions',
    documents,
    sets: [{
      name: 'memory sessions',
      measure: 'nDCG@10',
      documents,
      queries,
      quality: (rankings) => qualityOf(rankings, relevance).ndcg10,
    }],
  };
}
