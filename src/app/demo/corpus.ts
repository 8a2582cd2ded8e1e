import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What the demo imports, and which questions suit it. */
export interface DemoCorpus {
  readonly description: string;
  readonly collection: string;
  /** Sources of `quire import`. */
  readonly sources: readonly string[];
  /** The metadata key whose values are counted. */
  readonly facet: string;
  /** A filter of one key with alternatives, and one of two keys that must both match. */
  readonly anyOf: DemoQuestion;
  readonly allOf: DemoQuestion;
  /** The document that is shown and changed. */
  readonly key: string;
}

export interface DemoQuestion {
  readonly words: string;
  readonly filterMeta: Readonly<Record<string, readonly string[]>>;
}

const BESIDE = join('corpus', 'docs-mdn');
/** The first holds the page that is shown, so without it the second is of no use. */
const MDN_FILES = ['mdn-en.ndjson.gz', 'mdn-en-more.ndjson.gz'] as const;

/**
 * The corpus to show: English pages of MDN when they are at hand, in the folder that
 * `QUIRE_DEMO_CORPUS` names or in a folder `corpus/docs-mdn` of a folder beside the checkout, and
 * otherwise the pages that come with the demo. `root` is the checkout.
 */
export async function findCorpus(root: string, named: string | undefined): Promise<DemoCorpus> {
  const candidates = named === undefined || named === '' ? await foldersBeside(root) : [named];
  for (const folder of candidates) {
    const names = await list(folder);
    if (names.includes(MDN_FILES[0]))
      return mdn(MDN_FILES.filter((name) => names.includes(name)).map((name) => join(folder, name)));
  }
  return ownPages(join(root, 'src/app/demo/corpus/documents'));
}

const mdn = (sources: readonly string[]): DemoCorpus => ({
  description: 'the English pages of MDN Web Docs',
  collection: 'mdn',
  sources,
  facet: 'page-type',
  anyOf: {
    words: 'pages about ARIA roles or WebAssembly instructions',
    filterMeta: { 'page-type': ['aria-role', 'webassembly-instruction'] },
  },
  allOf: {
    words: 'CSS properties that are still experimental',
    filterMeta: { 'page-type': ['css-property'], status: ['experimental'] },
  },
  key: 'files/en-us/web/javascript/reference/global_objects/array/map/index',
});

const ownPages = (folder: string): DemoCorpus => ({
  description: 'the documentation of four Node.js packages (fastify, mercurius, undici, pino)',
  collection: 'docs',
  sources: [folder],
  facet: 'category',
  anyOf: { words: 'pages about testing or security', filterMeta: { tags: ['testing', 'security'] } },
  allOf: { words: 'guides of fastify about plugins', filterMeta: { category: ['guides'], tags: ['plugins'] } },
  key: 'pino/redaction',
});

async function foldersBeside(root: string): Promise<string[]> {
  const parent = join(root, '..');
  return (await list(parent)).sort().map((name) => join(parent, name, BESIDE));
}

/** Names in a folder; none when it is not there or not ours to read, which is how most candidates are. */
const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
