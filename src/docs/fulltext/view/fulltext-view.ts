import { unixSeconds } from '../../../lib/clock.ts';
import { type Change, CHANGE_FLAGS } from '../../../storage/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { filledCollections } from '../../stored-collections.ts';
import { CollectionView, type CollectionViewOptions, type Effect, type Entry, type EntryGroup, type Steps,
  type ViewKind } from '../../view/index.ts';
import { type SegmentChanges, segmentsOf } from '../segments/segments.ts';
import { PLAIN } from './analyzers.ts';
import { allTexts, textsOf } from './document-texts.ts';
import { answerTextPart, joinTextIndexes, textStandIn } from './inverted-text-index.ts';
import type { ReadableText, TermAnalyzer, TextIndex, TextIndexes, TextPart } from './text-index.ts';
import { type DocumentText, toIndexed } from './to-indexed.ts';

/** Full-text indexes of all collections, which follow the change feed. */
export type FullTextView = CollectionView<TextIndex, ReadableText, TextPart>;

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

function fullTextKind({ sql, codec, clock }: Environment,
  { indexes, analyzerOf }: FullTextViewOptions): ViewKind<TextIndex, ReadableText, TextPart>
{
  const toEntry = (text: DocumentText): Entry<TextIndex> => ({
    ord: text.ord,
    addTo: (index) => index.put(toIndexed(text, analyzerOf(text.lang))),
  });
  const entryOf = (
    { ord, key, lang, document }: Change,
  ): Entry<TextIndex>
    | undefined => (document === undefined || ord === undefined
      ? undefined
      : toEntry({ ord, key: key!, lang: lang!, meta: document.meta, contentMd: document.contentMd }));
  const toGroup = ({ segment, changes }: SegmentChanges): EntryGroup<TextIndex> => {
    const ords = changes.map(({ ord }) => ord!);
    const analyzers = [...new Set(changes.map(({ lang }) => analyzerOf(lang!)))];
    return {
      collection: changes[0]!.collection,
      ords,
      addTo: (index) =>
        index.putSegment(ords, segment, analyzers) ?? oneByOne(changes.map((change) => entryOf(change)!), index),
    };
  };
  return {
    name: 'full-text',
    reindexChange: 'fts.reindex',
    create: () => indexes.create(),
    restore: (_, bytes) => indexes.restore(bytes),
    effectOf,
    collections: () => filledCollections(sql, 'docs'),
    entryOf,
    groupsOf: (changes) => segmentsOf(changes).map(toGroup),
    entriesOf: (ords) => map(textsOf(sql, codec, ords), toEntry),
    allEntries: (partition) =>
      map(allTexts(sql.background, codec, partition.collection, unixSeconds(clock), { partition }), toEntry),
    join: (parts) => joinTextIndexes(parts),
    standIn: textStandIn,
    answer: answerTextPart,
    warm: (joined) => !joined.prepare(PLAIN),
  };
}

function effectOf({ kind, flags }: Change): Effect | undefined {
  if (kind === 'doc.put') return (flags & CHANGE_FLAGS.SKIP_FTS) === 0 ? 'read' : 'remove';
  return kind === 'doc.delete' ? 'remove' : undefined;
}

/** Adds a document at each step, or a part of a large one. */
function oneByOne(entries: readonly Entry<TextIndex>[], index: TextIndex): Steps {
  let next = 0;
  let rest: Steps | undefined | void;
  return () => {
    if (rest?.() !== true) rest = entries[next++]?.addTo(index);
    return rest !== undefined || next < entries.length;
  };
}

async function* map<T, U>(items: AsyncIterable<T>, toOther: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield toOther(item);
}
