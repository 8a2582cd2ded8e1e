import { unixSeconds } from '../../../lib/clock.ts';
import { CHANGE_FLAGS, type Change } from '../../../storage/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { filledCollections } from '../../stored-collections.ts';
import { CollectionView, type CollectionViewOptions, type Effect, type Entry, type ViewKind } from '../../view/index.ts';
import { allTexts, textsOf } from './document-texts.ts';
import type { TermAnalyzer, TextIndex, TextIndexes } from './text-index.ts';
import { toIndexed, type DocumentText } from './to-indexed.ts';

/** Full-text indexes of all collections, which follow the change feed. */
export type FullTextView = CollectionView<TextIndex>;

/** The magic of the checkpoint files of full-text indexes. */
export const CHECKPOINT_MAGIC = 'QFTIDX01';

export interface FullTextViewOptions extends CollectionViewOptions {
  readonly indexes: TextIndexes;
  /** The analyzer of a document's language. */
  readonly analyzerOf: (lang: string) => TermAnalyzer;
}

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'>;

/** The view with the lexical indexes of documents (design, sections 1 and 5). */
export function createFullTextView(env: Environment, options: FullTextViewOptions): FullTextView {
  return new CollectionView(env, fullTextKind(env, options), options);
}

function fullTextKind({ sql, codec, clock }: Environment, { indexes, analyzerOf }: FullTextViewOptions): ViewKind<TextIndex> {
  const toEntry = (text: DocumentText): Entry<TextIndex> => ({ ord: text.ord, addTo: (index) => index.put(toIndexed(text, analyzerOf(text.lang))) });
  return {
    name: 'full-text',
    create: () => indexes.create(),
    restore: (_, bytes) => indexes.restore(bytes),
    effectOf,
    collections: async () => (await filledCollections(sql, 'docs')).map(({ name }) => name),
    entryOf: ({ ord, key, lang, document }) => (document === undefined || ord === undefined ? undefined : toEntry({ ord, key: key!, lang: lang!, meta: document.meta, contentMd: document.contentMd })),
    entriesOf: (ords) => map(textsOf(sql, codec, ords), toEntry),
    allEntries: (collection) => map(allTexts(sql.background, codec, collection, unixSeconds(clock)), toEntry),
  };
}

function effectOf({ kind, flags }: Change): Effect | undefined {
  if (kind === 'doc.put') return (flags & CHANGE_FLAGS.SKIP_FTS) === 0 ? 'read' : 'remove';
  return kind === 'doc.delete' ? 'remove' : undefined;
}

async function* map<T, U>(items: AsyncIterable<T>, toOther: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield toOther(item);
}
