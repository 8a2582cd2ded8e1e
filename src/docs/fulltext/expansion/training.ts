import { unixSeconds } from '../../../lib/clock.ts';
import { Pace } from '../../../lib/pace.ts';
import { type Neighbours, type TermRules, trainHere, type Training, type TrainingDocument,
  TrainingThread } from '../../../search/cooccurrence/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { readCollection } from '../../stored-collections.ts';
import { termAnalyzer } from '../view/analyzers.ts';
import { classOfDocument, CODE_CLASS, isAmong } from '../view/document-classes.ts';
import { allTexts, type DocumentIdentity } from '../view/document-texts.ts';
import { FIELDS } from '../view/text-index.ts';
import { type DocumentText, toIndexed } from '../view/to-indexed.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>;

/** Maximum number of documents that a model is trained on. */
export const MAX_SAMPLE = 200_000;

/** Up to this many bytes, training takes a few milliseconds, less than a thread needs to start. */
const SMALL_DOCS = 500;
const SMALL_BYTES = 128 * 1024;

/** Maximum documents, and characters of them, in one message to the thread. */
const BATCH_DOCS = 64;
const BATCH_CHARACTERS = 1024 * 1024;

/**
 * Fields from this number on repeat text of other fields, or are values of metadata keys without a number, which are
 * not prose: names, numbers, addresses.
 */
const DERIVED = FIELDS.indexOf('headings');

/** How the terms of a model are made, and which documents it is learned from. */
export interface LearningRules extends TermRules {
  /** Bits of the classes (see `document-classes.ts`); all classes when absent. */
  readonly classes?: number;
}

/** Learns the model of a collection. */
export interface Trainer {
  /** Whether learning is so quick that it need not wait for other collections. */
  isQuick(collection: string): Promise<boolean>;
  train(collection: string, rules: LearningRules, signal: AbortSignal): Promise<Neighbours>;
}

interface Size {
  readonly docs: number;
  readonly bytes: number;
}

/**
 * Learns which terms of a collection occur together; with more than 200,000 documents, from a sample. For large
 * collections a thread does this, and the main thread only reads the documents.
 */
export function createTrainer(environment: Environment, maxSample = MAX_SAMPLE): Trainer {
  const { sql, codec, clock } = environment;
  return {
    isQuick: async (collection) => isSmall(await sizeOf(sql, collection)),
    async train(collection, rules, signal) {
      const size = await sizeOf(sql, collection);
      const quick = isSmall(size);
      const { classes } = rules;
      const accepts = classes === undefined
        ? undefined
        : (document: DocumentIdentity) => isAmong(classOfDocument(document), classes);
      const training = quick ? trainHere(rules) : new TrainingThread(rules);
      try {
        const texts = allTexts(quick ? sql : sql.background, codec, collection, unixSeconds(clock), {
          share: Math.min(1, maxSample / size.docs),
          accepts,
        });
        await feed(training, first(texts, maxSample), rules, signal);
        return await training.finish();
      } finally {
        await training.close();
      }
    },
  };
}

function isSmall({ docs, bytes }: Size): boolean {
  return docs <= SMALL_DOCS && bytes <= SMALL_BYTES;
}

/** The sum of bytes is computed only if the result depends on it. */
async function sizeOf(sql: Environment['sql'], collection: string): Promise<Size> {
  const docs = (await readCollection(sql, collection))?.docs ?? 0;
  if (docs > SMALL_DOCS) return { docs, bytes: Infinity };
  const { bytes } =
    (await sql.get<{ bytes: number }>('SELECT coalesce(sum(bytes), 0) AS bytes FROM documents WHERE id > ? AND id < ?',
      [`${collection}|`, `${collection}}`]))!;
  return { docs, bytes };
}

async function feed(training: Training, texts: AsyncIterable<DocumentText>, rules: TermRules,
  signal: AbortSignal): Promise<void>
{
  const pace = new Pace();
  let batch: TrainingDocument[] = [];
  let characters = 0;
  for await (const text of texts) {
    signal.throwIfAborted();
    const document = toTraining(text, rules);
    batch.push(document);
    characters += document.reduce((sum, { text: { length } }) => sum + length, 0);
    if (batch.length >= BATCH_DOCS || characters >= BATCH_CHARACTERS) {
      await training.add(batch);
      batch = [];
      characters = 0;
    }
    await pace.rest();
  }
  await training.add(batch);
}

function toTraining(text: DocumentText, { lang, stemming }: TermRules): TrainingDocument {
  const { documentClass, fields } = toIndexed(text, termAnalyzer(lang, stemming));
  return fields.slice(0, DERIVED).flatMap((values) =>
    values.map((value) => ({ text: value, code: documentClass === CODE_CLASS }))
  );
}

async function* first<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let left = count;
  for await (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
