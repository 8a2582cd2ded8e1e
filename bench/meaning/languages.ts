// How well pages are found by meaning in other languages than English, through the operations of the service in this
// process: pages of MDN, Astro and React in German, Spanish, French, Japanese, Russian and Chinese (`mdn-i18n` of the
// corpus). In the same language, the question is the description of the page; across languages, it is the title and the
// description, or the beginning, of the same page in another language, English ones of MDN only.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../src/operations/index.ts';
import { knownItems } from '../relevance/known-items.ts';
import { mrr10 } from '../relevance/measures.ts';
import { CORPUS_HINT, corpusFolder, linesOf } from '../support/corpus.ts';
import { openService, type ServiceInProcess } from '../support/docs-service.ts';
import { progress } from '../support/progress.ts';
import { missing, type Section } from '../support/table.ts';

const CALLER: Caller = { protocol: 'http', requestId: 'bench' };

/** A page in one language. */
interface Page {
  /** The same for all languages of a page. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
}

interface Question {
  readonly page: string;
  readonly text: string;
}

/** Fewer questions say little. */
const LEAST = 20;
/** Characters of the beginning of a page that stand for its description. */
const BEGINNING = 160;
const LEAST_DESCRIPTION = 25;
const LOOK = 100;
const WAYS = {
  words: { operation: 'searchFullText', input: { limit: 10, mode: 'simple', algorithm: 'bm25' } },
  vectors: { operation: 'searchVectors', input: { topK: 10 } },
  hybrid: { operation: 'searchHybrid', input: { topK: 10 } },
} as const;

export async function benchMeaningLanguages(folder: string): Promise<Section[]> {
  const pages = await pagesByLanguage();
  if (pages === undefined)
    return [missing('Search by meaning in other languages', `it needs the pages: ${CORPUS_HINT}`)];
  const rows: string[][] = [];
  const database = join(folder, 'languages.db');
  const service = await openService(database, {
    SVC_EMBEDDING_PROVIDER: 'builtin',
    SVC_EMBEDDING_QUEUE_SIZE: '1000000',
  });
  for (const [lang, own] of pages) {
    progress(`pages in ${lang}`);
    await fill(service, lang, own);
    for (const [from, others] of pages) {
      const questions = from === lang ? ownQuestions(own) : questionsAcross(others, own);
      if (questions.length < LEAST) continue;
      const cells: string[] = [];
      for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[])
        cells.push((await quality(service, way, lang, questions)).toFixed(3));
      rows.push([`${from} to ${lang} (${questions.length})`, ...cells]);
    }
  }
  await service.stop();
  await rm(database, { force: true });
  return [{
    title: 'Search by meaning in other languages, MRR@10',
    header: ['', ...Object.keys(WAYS)],
    rows,
    notes: [],
  }];
}

/** Undefined if there are none. English pages are those that another language has. */
async function pagesByLanguage(): Promise<Map<string, Page[]> | undefined> {
  const folder = corpusFolder('docs-mdn');
  if (folder === undefined) return undefined;
  const pages = new Map<string, Page[]>();
  for await (const line of linesOf(join(folder, 'mdn-i18n.ndjson.gz'))) {
    const { path, lang, source, frontmatter: { title = '', description = '' }, body } = JSON.parse(line) as {
      path: string;
      lang: string;
      source: string;
      frontmatter: { title?: string; description?: string };
      body: string;
    };
    const code = lang.slice(0, 2);
    const id = `${source.split('/')[0]}/${
      path.replace(/^(?:docs\/)?src\/content\/docs\/[^/]+\/|^[^/]+\/src\/content\//, '').replace(/^.*files\/[^/]+\//,
        '').replace(/(?:\/index)?\.mdx?$/, '').toLowerCase()
    }`;
    pages.set(code, [...pages.get(code) ?? [], { id, title, description, body: clean(body) }]);
  }
  const known = new Map((await knownItems())?.pages.map((page) => [`mdn/${page.id.toLowerCase()}`, page]));
  const english = (pages.get('de') ?? []).flatMap(({ id }) => {
    const page = known.get(id);
    return page === undefined ? [] : [{ id, title: page.title, description: '', body: page.text }];
  });
  return english.length === 0 ? pages : pages.set('en', english);
}

/** Without modules and directives of MDX, which are no text. */
function clean(body: string): string {
  return body.replace(/^(?:import|export) .*$/gm, '').replace(/^:::.*$/gm, '').replace(/\{\{[^}]*\}\}/g, '');
}

/** The description of each page; what the page has in common with its title is no question about it. */
function ownQuestions(pages: readonly Page[]): Question[] {
  return pages.filter(({ description }) => description.length >= LEAST_DESCRIPTION).map(({ id, description }) => ({
    page: id,
    text: description,
  }));
}

function questionsAcross(from: readonly Page[], to: readonly Page[]): Question[] {
  const known = new Set(to.map(({ id }) => id));
  return from.filter(({ id, title }) => title !== '' && known.has(id)).map(({ id, title, description, body }) => ({
    page: id,
    text: `${title}. ${description || beginningOf(body)}`,
  }));
}

function beginningOf(body: string): string {
  return body.replace(/```[^]*?```|<[^>]*>|^#.*$/gm, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*_|>]/g,
    '').replace(/\s+/g, ' ').trim().slice(0, BEGINNING);
}

async function fill({ invoke }: ServiceInProcess, lang: string, pages: readonly Page[]): Promise<void> {
  for (const { id, title, body } of pages)
    await invoke('addDocument', {
      collection: `pages-${lang}`,
      key: id,
      lang,
      contentMd: body,
      meta: { title: [title] },
    }, CALLER);
  for (;;) {
    const { value } = await invoke('getVectorStats', {}, CALLER);
    const stats = value.collections[`pages-${lang}`];
    if (stats !== undefined && stats.embedded_documents + stats.failed_documents >= stats.total_documents) return;
    await sleep(LOOK);
  }
}

async function quality({ invoke }: ServiceInProcess, way: keyof typeof WAYS, lang: string,
  questions: readonly Question[]): Promise<number>
{
  const { operation, input } = WAYS[way];
  const rankings: { ranking: string[]; expected: ReadonlySet<string> }[] = [];
  for (const { page, text } of questions) {
    const { value } = await invoke(operation, { collection: `pages-${lang}`, query: text, ...input }, CALLER);
    const { results } = value as { results: { document: { key: string } }[] };
    rankings.push({ ranking: results.map(({ document }) => document.key), expected: new Set([page]) });
  }
  return mrr10(rankings);
}
