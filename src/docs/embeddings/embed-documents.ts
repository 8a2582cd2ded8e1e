import { EmbeddingError, type EmbeddingProvider } from '../../embedding/index.ts';
import { embeddedText } from './chunker.ts';
import { isEnglish } from './known-language.ts';
import type { DocumentVersion, LoadedDocument } from './load-documents.ts';
import type { ModelIdentity, NewVector } from './vector-rows.ts';

/** A document with the vectors of all its chunks. */
export interface EmbeddedDocument {
  readonly document: DocumentVersion;
  readonly chunks: readonly NewVector[];
}

/**
 * The model that made the vectors, and the precision in which it wants them stored if their collection does not say.
 */
export interface Maker extends ModelIdentity {
  readonly stored?: 'int8' | undefined;
}

/** Called as the work proceeds. */
export interface EmbeddingEvents {
  /**
   * The vectors of these documents are complete. Documents that were complete shortly after each other come together.
   */
  readonly onEmbedded: (model: Maker, documents: readonly EmbeddedDocument[]) => Promise<void>;
  /** This provider will never accept the document, for example because a text is too long. */
  readonly onRefused: (document: LoadedDocument, error: Error) => Promise<void>;
  /** Called with the documents of the call in which the provider failed, before `embedDocuments` rejects. */
  readonly onFailed: (documents: readonly LoadedDocument[], error: Error) => Promise<void>;
}

/** A document with the vectors it has so far. */
interface Task {
  readonly document: LoadedDocument;
  readonly vectors: (Float32Array | undefined)[];
  missing: number;
  refused: boolean;
}

interface Piece {
  readonly task: Task;
  readonly chunk: number;
}

type PieceEvents = Pick<EmbeddingEvents, 'onRefused' | 'onFailed'> & { readonly finished: Finished };

/** A text that every working provider can embed. */
const CANARY = 'a short text';

/** Vectors that are published together at most, unless a single document has more: a mebibyte at 256 dimensions. */
const PUBLISHED_AT_ONCE = 1024;
/** Milliseconds for which complete vectors wait for others at most. */
const HELD_MS = 100;

/**
 * Embeds documents; the chunks of several small documents share one call, but documents of `alone` share none. A call
 * that is permanently refused is repeated for each of its documents, so that one cannot prevent the others from being
 * embedded. A document is blamed only if the provider accepts another text. Every other failure rejects; it says
 * nothing about documents for which no event was called.
 */
export async function embedDocuments(provider: EmbeddingProvider, documents: readonly LoadedDocument[],
  events: EmbeddingEvents, signal: AbortSignal, alone: ReadonlySet<number> = new Set()): Promise<void>
{
  const tasks = documents.map((document): Task => ({
    document,
    vectors: document.chunks.map(() => undefined),
    missing: document.chunks.length,
    refused: false,
  }));
  const finished = new Finished(provider, events);
  await finished.add(tasks.filter(({ missing }) => missing === 0));
  try {
    for (const group of groups(tasks, alone)) {
      const pieces = group.flatMap((task) => task.document.chunks.map((_, chunk): Piece => ({ task, chunk })));
      for (let i = 0; i < pieces.length; i += provider.maxBatch) {
        await embedPieces(provider, pieces.slice(i, i + provider.maxBatch).filter(({ task }) => !task.refused), {
          ...events,
          finished,
        }, signal);
      }
    }
  } catch (error) {
    if (!signal.aborted) await finished.publish();
    throw error;
  }
  await finished.publish();
}

/**
 * Documents whose vectors are complete and not yet published. A quick provider completes a few documents in a
 * millisecond, and to store each few in a transaction of their own takes longer than to embed them; vectors of a slow
 * provider wait for no others.
 */
class Finished {
  readonly #provider: EmbeddingProvider;
  readonly #events: EmbeddingEvents;
  #tasks: Task[] = [];
  #vectors = 0;
  #since = performance.now();

  constructor(provider: EmbeddingProvider, events: EmbeddingEvents) {
    this.#provider = provider;
    this.#events = events;
  }

  async add(tasks: readonly Task[]): Promise<void> {
    this.#tasks.push(...tasks);
    this.#vectors += tasks.reduce((sum, { vectors }) => sum + vectors.length, 0);
    if (this.#vectors >= PUBLISHED_AT_ONCE || performance.now() - this.#since >= HELD_MS) await this.publish();
  }

  async publish(): Promise<void> {
    const tasks = this.#tasks;
    this.#tasks = [];
    this.#vectors = 0;
    if (tasks.length > 0) await publish(this.#provider, tasks, this.#events);
    this.#since = performance.now();
  }
}

/** Tasks that may share calls. */
function groups(tasks: readonly Task[], alone: ReadonlySet<number>): Task[][] {
  const [single, shared] = [tasks.filter(({ document }) => alone.has(document.ord)),
    tasks.filter(({ document }) => !alone.has(document.ord))];
  return [shared, ...single.map((task) => [task])];
}

async function embedPieces(provider: EmbeddingProvider, pieces: readonly Piece[], events: PieceEvents,
  signal: AbortSignal): Promise<void>
{
  if (pieces.length === 0) return;
  signal.throwIfAborted();
  const tasks = [...new Set(pieces.map(({ task }) => task))];
  try {
    await call(provider, pieces, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EmbeddingError) || error.retryable || !(await takes(provider, signal))) {
      await events.onFailed(tasks.map(({ document }) => document), error as Error);
      throw error;
    }
    if (tasks.length === 1) return refuse(tasks[0]!, error, events);
    for (const task of tasks)
      await embedPieces(provider, pieces.filter((piece) => piece.task === task), events, signal);
    return;
  }
  await events.finished.add(tasks.filter(({ missing }) => missing === 0));
}

async function call(provider: EmbeddingProvider, pieces: readonly Piece[], signal: AbortSignal): Promise<void> {
  const vectors = await embedTexts(provider,
    pieces.map(({ task, chunk }) => embeddedText(task.document.chunks[chunk]!)), signal,
    pieces.map(({ task }) => isEnglish(task.document.lang)));
  for (const [i, { task, chunk }] of pieces.entries()) {
    if (task.vectors[chunk] === undefined) task.missing--;
    task.vectors[chunk] = vectors[i]!;
  }
}

/** Stored vectors are compared with all others, so their number and length are checked here. */
async function embedTexts(provider: EmbeddingProvider, texts: readonly string[], signal: AbortSignal,
  isInEnglish?: readonly (boolean | undefined)[]): Promise<Float32Array[]>
{
  const vectors = await provider.embed(texts, 'document', signal, isInEnglish);
  if (vectors.length !== texts.length)
    throw new EmbeddingError(`expected ${texts.length} vectors, got ${vectors.length}`, { retryable: false });
  const odd = vectors.find(({ length }) => length !== provider.dimensions);
  if (odd !== undefined)
    throw new EmbeddingError(`expected vectors of ${provider.dimensions} numbers, got ${odd.length}`, {
      retryable: false,
    });
  return vectors;
}

/** Whether the provider works at all: a wrong key or model is not the fault of a document. */
async function takes(provider: EmbeddingProvider, signal: AbortSignal): Promise<boolean> {
  try {
    await embedTexts(provider, [CANARY], signal);
    return true;
  } catch {
    signal.throwIfAborted();
    return false; // the caller reports the original failure
  }
}

async function refuse(task: Task, error: Error, events: PieceEvents): Promise<void> {
  task.refused = true;
  await events.onRefused(task.document, error);
}

async function publish({ model, variant, dimensions, passages }: EmbeddingProvider, done: readonly Task[],
  events: EmbeddingEvents): Promise<void>
{
  const embedded = done.map(({ document, vectors }) => ({
    document,
    chunks: document.chunks.map(({ startLine, endLine, start, end }, i) => ({
      startLine,
      endLine,
      start,
      end,
      vector: vectors[i]!,
    })),
  }));
  await events.onEmbedded({ model, variant, dimensions, stored: passages?.stored }, embedded);
}
