import type { EmbeddingProvider } from '../../../embedding/index.ts';
import { type ModelMemory, withDesk } from '../../../kernels/embedding.ts';
import { type Clock, unixSeconds } from '../../../lib/clock.ts';
import { ThreadClient, workerFile } from '../../../lib/thread-client.ts';
import type { BodyCodec, Sql } from '../../../storage/index.ts';
import { createChunker } from '../chunker.ts';
import type { EmbeddedDocument, Maker } from '../embed-documents.ts';
import { isEnglish } from '../known-language.ts';
import { type BodyRow, bodyRows, versionOf } from '../load-documents.ts';
import type { VectorStore } from '../store-vectors.ts';
import { type CutSettings, type MadePassages, type PassageOrder, passagesOf,
  type StoredText } from './make-passages.ts';

/** Milliseconds without a request after which the thread ends: it takes some megabytes. */
const IDLE_MS = 10_000;

/** The main thread's side of `passage-thread.ts`, which ends when it was idle for a while. */
export class PassageThread {
  #model: ModelMemory | undefined;
  readonly #thread = new ThreadClient<PassageOrder, MadePassages>(workerFile(import.meta.url, 'passage-thread'), {
    name: 'the thread of passages',
    idleMs: IDLE_MS,
    data: () => this.#model,
  });

  /**
   * Rejects when the thread fails; the caller can then make the vectors itself. A thread that runs keeps the model that
   * it has.
   */
  make(model: ModelMemory, order: PassageOrder): Promise<MadePassages> {
    if (this.#model?.memory !== model.memory) this.#model = withDesk(model);
    const { bodies, texts } = together(order.texts);
    return this.#thread.request({ ...order, texts }, [bodies]);
  }
}

/** The texts with their bodies in one buffer, which is sent faster than many. */
function together(texts: readonly StoredText[]): { bodies: ArrayBuffer; texts: StoredText[] } {
  const all = new Uint8Array(texts.reduce((sum, { body }) => sum + body.length, 0));
  let end = 0;
  return {
    bodies: all.buffer,
    texts: texts.map((text) => {
      all.set(text.body, end);
      return { ...text, body: all.subarray(end, end += text.body.length) };
    }),
  };
}

/** One per process, because embedding keeps one core busy. */
const sharedPassageThread = new PassageThread();

interface ElsewhereDeps {
  readonly sql: Sql;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly settings: CutSettings;
  readonly store: Pick<VectorStore, 'precisionOf'>;
  /** For tests. */
  readonly thread?: Pick<PassageThread, 'make'>;
}

/** Bytes of bodies from which on the thread is faster. */
const WORTH_THE_WAY = 4096;
/**
 * Vectors that are published together at most, unless a single document has more: a quarter of a mebibyte of int8 at
 * 256 dimensions.
 */
const PUBLISHED_AT_ONCE = 1024;

/**
 * Embeds documents in another thread, which also decompresses and cuts them, if the provider's model can be shared with
 * it. Returns the ordinals of those that were published; the caller embeds the others, as it would without the thread,
 * and finds out why they were left.
 */
export async function embedElsewhere(deps: ElsewhereDeps, provider: EmbeddingProvider,
  asked: readonly { readonly ord: number; readonly bytes: number }[],
  publish: (model: Maker, documents: readonly EmbeddedDocument[]) => Promise<void>,
  signal: AbortSignal): Promise<ReadonlySet<number>>
{
  const published = new Set<number>();
  if (provider.sharedModel === undefined || asked.reduce((sum, { bytes }) => sum + bytes, 0) < WORTH_THE_WAY)
    return published;
  const found = await storedTexts(deps, provider, asked.map(({ ord }) => ord));
  const made = found.length === 0 ? undefined : await make(deps, provider, found.map(({ text }) => text));
  signal.throwIfAborted();
  if (made === undefined) return published;
  const { model, variant, dimensions, passages: style } = provider;
  const { chunkingOf } = createChunker(deps.settings, () => style);
  const passages = passagesOf(made, dimensions, found.map(({ text }) => text));
  const documents = found.flatMap(({ row },
    i): EmbeddedDocument[] => (passages[i] === undefined
      ? []
      : [{ document: versionOf(row, { chunkingOf }), chunks: passages[i] }])
  );
  for (const some of groups(documents)) {
    await publish({ model, variant, dimensions, ...(style && { stored: style.stored }) }, some);
    for (const { document: { ord } } of some) published.add(ord);
    signal.throwIfAborted();
  }
  return published;
}

/** Documents as the table has them; those whose bodies are kept elsewhere and cannot be fetched are left out. */
async function storedTexts({ sql, codec, clock, store }: ElsewhereDeps, { passages }: EmbeddingProvider,
  ords: readonly number[]): Promise<{ row: BodyRow; text: StoredText }[]>
{
  const rows = await bodyRows(sql, codec, ords, unixSeconds(clock));
  const records = await Promise.allSettled(rows.map(({ body }) => codec.recordOf(body)));
  return rows.flatMap((row, i) => {
    const record = records[i]!;
    if (record.status === 'rejected') return [];
    return [{
      row,
      text: {
        key: row.key,
        lang: row.lang,
        meta: row.meta,
        body: record.value,
        precision: store.precisionOf(row.id, passages?.stored),
      },
    }];
  });
}

/** Undefined when the model cannot be read, or the thread fails. */
async function make({ settings: { chunkEnabled, chunkMode, chunkSize }, thread = sharedPassageThread }: ElsewhereDeps,
  provider: EmbeddingProvider, texts: readonly StoredText[]): Promise<MadePassages | undefined>
{
  try {
    return await thread.make(await provider.sharedModel!(texts.every(({ lang }) => isEnglish(lang) === true)), {
      settings: { chunkEnabled, chunkMode, chunkSize },
      style: provider.passages,
      texts,
    });
  } catch {
    return undefined;
  }
}

function* groups(documents: readonly EmbeddedDocument[]): Generator<EmbeddedDocument[]> {
  let some: EmbeddedDocument[] = [];
  let vectors = 0;
  for (const document of documents) {
    if (some.length > 0 && vectors + document.chunks.length > PUBLISHED_AT_ONCE) {
      yield some;
      some = [];
      vectors = 0;
    }
    some.push(document);
    vectors += document.chunks.length;
  }
  if (some.length > 0) yield some;
}
