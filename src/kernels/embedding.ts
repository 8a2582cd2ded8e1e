import * as layout from '../../generated/kernels/embedding.ts';
import { foldPage } from './bert-characters.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';
import { classPage, normalizePieces } from './piece-characters.ts';

/** A model of token vectors, as stored in its files. */
export interface TokenVectors {
  /** Tokens in UTF-8, one per line, including `[UNK]`. */
  readonly vocabulary: Uint8Array;
  /** A row of signed bytes for each token; the number of dimensions is a multiple of 32. */
  readonly vectors: Uint8Array;
  /** A little-endian float32 for each token, by which its row is multiplied. */
  readonly scales: Uint8Array;
}

/** Pieces of words of further languages, as stored in their files. */
export interface PieceWords {
  /** A line for each piece, in UTF-8: the piece, a tab, the natural logarithm of its probability. */
  readonly vocabulary: Uint8Array;
  /** How English each piece is: a signed byte. */
  readonly english: Uint8Array;
}

/** Their vectors. */
export interface PieceRows {
  /** A row for each piece, of four bits for each number: the number + 8, those of even dimensions in the low half. */
  readonly vectors: Uint8Array;
  /** A little-endian float32 for each piece, by which its row is multiplied. */
  readonly scales: Uint8Array;
}

/** The sizes for which a model has space, to which pieces can be added. */
export interface PieceSizes {
  readonly pieces: number;
  readonly vocabularyBytes: number;
}

/** Exports of `asm/embedding.ts`, where their contracts are documented. */
interface EmbeddingExports extends WebAssembly.Exports {
  layModel(tokens: number, dims: number, vocabularyBytes: number, pieces: number, pieceBytes: number): void;
  modelEnd(): number;
  vectorsAt(): number;
  scalesAt(): number;
  vocabularyAt(): number;
  indexVocabulary(): number;
  pieceLinesAt(): number;
  pieceEnglishAt(): number;
  indexPieces(): number;
  unpackRows(): void;
  laidPieces(): number;
  setLaidPieces(laid: number): void;
  deskBytes(): number;
  clearDesk(desk: number): void;
  textRoom(): number;
  tokensOf(desk: number): number;
  outputOf(desk: number): number;
  roundedOf(desk: number): number;
  directoryOf(desk: number): number;
  tokenize(desk: number, length: number): number;
  tokenizePieces(desk: number, units: number): number;
  pieceResultsOf(desk: number): number;
  classesOf(desk: number): number;
  sumTokens(desk: number, count: number): number;
  roundVector(desk: number): void;
  measureVectors(first: number, end: number): void;
  prepareQuery(desk: number, count: number): void;
  matchTokens(desk: number, count: number, lead: number, queryCount: number): number;
}

const PAGE = 65_536;
const INITIAL_PAGES = 2;
/** These must match the settings by which the module is compiled (src/codegen/build-kernels.ts). */
const MAXIMUM_PAGES = 4096;
const FLOAT = 4;
/** Maximum bytes per UTF-16 unit, from which the capacity of the text buffer follows. */
const UTF8_BYTES = 3;
const { MISSING, MOST_QUERY_TOKENS: MAX_QUERY_TOKENS, PIECE_ROWS, PIECE_UNITS, PIECE_WORDS, ROUNDED_HEAD } = layout;
const LINE_BREAK = 0x0a;

/** A memory that contains a model. Threads can share it: it can be posted to another thread. */
export interface ModelMemory {
  readonly memory: WebAssembly.Memory;
  readonly dims: number;
  readonly tokens: number;
  /** Space for pieces, which may be laid later. */
  readonly space: PieceSizes;
  /** The desk of a thread; without it, a kernel allocates its own. */
  readonly desk?: number;
}

/**
 * A model with a desk for threads that follow each other: the memory of a model never shrinks, so each desk that is
 * allocated stays.
 */
export function withDesk(model: ModelMemory): ModelMemory {
  const call = instantiateKernel(loadKernel('embedding', 'release'), model.memory) as EmbeddingExports;
  return { ...model, desk: grow(model.memory, call.deskBytes()) };
}

/** Allocates new bytes, which are zero, and returns their address. */
function grow(memory: WebAssembly.Memory, bytes: number): number {
  return memory.grow(Math.ceil(bytes / PAGE)) * PAGE;
}

/**
 * Copies a model into a memory of its own, with space for pieces. Throws a `RangeError` if the sizes of the files do
 * not match.
 */
export function layTokenVectors({ vocabulary, vectors, scales }: TokenVectors, build: KernelBuild = 'release',
  space: PieceSizes = { pieces: 0, vocabularyBytes: 0 }): ModelMemory
{
  const tokens = scales.length / FLOAT;
  const dims = vectors.length / tokens;
  if (!Number.isInteger(tokens) || !Number.isInteger(dims) || dims % 32 !== 0)
    throw new RangeError(`${vectors.length} bytes of vectors are no rows of ${tokens} tokens`);
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true });
  const call = instantiateKernel(loadKernel('embedding', build), memory) as EmbeddingExports;
  call.layModel(tokens, dims, vocabulary.length, space.pieces, space.vocabularyBytes);
  memory.grow(Math.ceil(call.modelEnd() / PAGE) - INITIAL_PAGES);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(vectors, call.vectorsAt());
  bytes.set(scales, call.scalesAt());
  bytes.set(vocabulary, call.vocabularyAt());
  const lines = call.indexVocabulary();
  if (lines !== tokens) throw new RangeError(`expected a vocabulary of ${tokens} tokens, got ${lines}`);
  call.measureVectors(0, tokens);
  return { memory, dims, tokens, space };
}

/** Adds the words of pieces to a model. Throws a `RangeError` if the sizes of the files do not match its space. */
export function layPieceWords({ memory, space }: ModelMemory, { vocabulary, english }: PieceWords,
  build: KernelBuild = 'release'): void
{
  if (vocabulary.length !== space.vocabularyBytes || english.length !== space.pieces)
    throw new RangeError(`there is space for ${space.pieces} pieces in ${space.vocabularyBytes} bytes`);
  const call = instantiateKernel(loadKernel('embedding', build), memory) as EmbeddingExports;
  if (call.laidPieces() !== 0) return;
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(vocabulary, call.pieceLinesAt());
  bytes.set(english, call.pieceEnglishAt());
  const lines = call.indexPieces();
  if (lines !== space.pieces) throw new RangeError(`expected a vocabulary of ${space.pieces} pieces, got ${lines}`);
  call.setLaidPieces(PIECE_WORDS);
}

/** Adds the vectors of pieces whose words were added. Throws a `RangeError` if the sizes of the files do not match. */
export function layPieceRows({ memory, dims, tokens, space: { pieces } }: ModelMemory, { vectors, scales }: PieceRows,
  build: KernelBuild = 'release'): void
{
  if (2 * vectors.length !== pieces * dims || scales.length !== pieces * FLOAT)
    throw new RangeError(`expected rows of ${pieces} pieces`);
  const call = instantiateKernel(loadKernel('embedding', build), memory) as EmbeddingExports;
  if (call.laidPieces() !== PIECE_WORDS) return;
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(vectors, call.vectorsAt() + tokens * dims + vectors.length);
  bytes.set(scales, call.scalesAt() + tokens * FLOAT);
  call.unpackRows();
  call.measureVectors(tokens, tokens + pieces);
  call.setLaidPieces(PIECE_ROWS);
}

/** What the tokeniser of pieces says about a text. */
export interface PieceEvidence {
  /** How English the text is, in sixteenths of a nat; undefined if it has no piece. */
  readonly english: number | undefined;
  /** Share of the letters that no piece has, from 0 to 1. */
  readonly unknown: number;
}

/** The distinct tokens of a text; the first `lead` of them are those of its beginning. */
interface TokenText {
  readonly all: ArrayLike<number>;
  readonly lead: number;
}

/**
 * Computes vectors of texts as sums of token vectors. Each thread has its own instance over a shared memory. An
 * instance processes one text at a time; calls cannot overlap, because they are synchronous.
 */
export class EmbeddingKernel {
  readonly dims: number;
  /** Maximum number of UTF-16 units of a text; the rest of longer texts is ignored. */
  readonly maxLength: number;
  readonly #memory: WebAssembly.Memory;
  readonly #call: EmbeddingExports;
  readonly #desk: number;
  readonly #text: Buffer;
  /** Where tokens of texts are; a new view for each of many texts would take longer than to write it. */
  readonly #ids: Uint32Array;
  readonly #output: Float32Array;
  readonly #rounded: Uint8Array;
  /** What the text buffer begins with, a line break included, if that is known. */
  #context: { readonly text: string; readonly bytes: number } | undefined;
  /** Start and end of the memory in which pages of folds can be allocated. */
  #free = 0;
  #freeEnd = 0;
  /** The tokens of the query that is prepared for comparisons. */
  #prepared: string | undefined;
  /** The text whose pieces the desk has, and their number. */
  #pieced: { readonly text: string; readonly count: number } | undefined;

  constructor({ memory, dims, desk }: ModelMemory, build: KernelBuild = 'release') {
    this.dims = dims;
    this.#memory = memory;
    this.#call = instantiateKernel(loadKernel('embedding', build), memory) as EmbeddingExports;
    this.#desk = desk ?? grow(memory, this.#call.deskBytes());
    if (desk !== undefined) this.#call.clearDesk(desk);
    this.maxLength = Math.floor(this.#call.textRoom() / UTF8_BYTES);
    // A view of shared memory stays valid when the memory grows.
    this.#text = Buffer.from(memory.buffer, this.#desk, this.#call.textRoom());
    this.#ids = new Uint32Array(memory.buffer, this.#call.tokensOf(this.#desk), this.#call.textRoom());
    this.#output = new Float32Array(memory.buffer, this.#call.outputOf(this.#desk), dims);
    this.#rounded = new Uint8Array(memory.buffer, this.#call.roundedOf(this.#desk), ROUNDED_HEAD + dims);
  }

  /** Ids of a text's tokens, in order. */
  tokens(text: string): Uint32Array {
    const count = this.#tokenize(text);
    return this.#ids.slice(0, count);
  }

  /** Whether the model has the words of pieces, by which languages are told apart. */
  get hasPieces(): boolean {
    return this.#call.laidPieces() >= PIECE_WORDS;
  }

  /** Whether the model has the vectors of pieces, too. */
  get hasPieceRows(): boolean {
    return this.#call.laidPieces() === PIECE_ROWS;
  }

  /** What the pieces of a text say about its language. The model must have their words. */
  evidence(text: string): PieceEvidence {
    const count = this.#tokenizePieces(text);
    const [english, letters, unknown] = new Int32Array(this.#memory.buffer, this.#call.pieceResultsOf(this.#desk), 3);
    return { english: count === 0 ? undefined : english, unknown: letters === 0 ? 0 : unknown! / letters! };
  }

  /** Ids of a text's pieces, in order. The model must have their words. */
  pieces(text: string): Uint32Array {
    return this.#ids.slice(0, this.#tokenizePieces(text));
  }

  /** As `vector`, by the pieces of a text. The model must have their rows. */
  pieceVector(text: string): Float32Array<ArrayBuffer> | undefined {
    return this.#sum(this.#tokenizePieces(text)) ? new Float32Array(this.#output) : undefined;
  }

  /** The vector of a text, of length 1; undefined if no token of the text has a vector other than zero. */
  vector(text: string): Float32Array<ArrayBuffer> | undefined {
    return this.#sum(this.#tokenize(text)) ? new Float32Array(this.#output) : undefined;
  }

  /**
   * The vector of a line `context`, left out if it is empty, and of a text in UTF-8, which have at most `maxLength`
   * bytes together: rounded as asm/embedding/round.ts describes. Valid until the next call; undefined as for `vector`.
   * Contexts that follow each other are often the same.
   */
  rounded(context: string, utf8: Uint8Array): Uint8Array | undefined {
    const start = this.#putContext(context);
    this.#text.set(utf8, start);
    if (!this.#sum(this.#tokenizeBytes(start + utf8.length))) return undefined;
    this.#call.roundVector(this.#desk);
    return this.#rounded;
  }

  /**
   * How well texts have the words of a query or similar ones, from 0 to 1: the cosine of each token of the query to the
   * nearest token of the text, averaged by the lengths of the query's token vectors; the mean of the whole text and of
   * its beginning. All are given by their distinct tokens; only the first 64 of the query count.
   */
  matches(query: ArrayLike<number>, texts: readonly TokenText[]): number[] {
    const asked = Array.from(query).slice(0, MAX_QUERY_TOKENS);
    // A search compares documents of both sides with the same query; the second time, most similarities are known.
    const name = asked.join();
    if (this.#prepared !== name) this.#call.prepareQuery(this.#desk, this.#putTokens(asked));
    this.#prepared = name;
    return texts.map(({ all, lead }) => {
      const count = this.#putTokens(all);
      return this.#call.matchTokens(this.#desk, count, Math.min(lead, count), asked.length);
    });
  }

  #putTokens(tokens: ArrayLike<number>): number {
    this.#pieced = undefined;
    const count = Math.min(tokens.length, this.#ids.length);
    for (let i = 0; i < count; i++) this.#ids[i] = tokens[i]!;
    return count;
  }

  /** Whether there is a vector. */
  #sum(tokens: number): boolean {
    this.#prepared = undefined; // its place is used for the sum
    return this.#call.sumTokens(this.#desk, tokens) !== 0;
  }

  /** Returns the number of bytes of the context and of the line break behind it. */
  #putContext(text: string): number {
    if (this.#context?.text !== text) {
      const written = text === '' ? 0 : this.#text.write(text);
      if (written > 0) this.#text[written] = LINE_BREAK;
      this.#context = { text, bytes: written && written + 1 };
    }
    return this.#context.bytes;
  }

  #tokenize(text: string): number {
    this.#context = undefined;
    return this.#tokenizeBytes(this.#text.write(text.length > this.maxLength ? text.slice(0, this.maxLength) : text));
  }

  #tokenizeBytes(length: number): number {
    this.#pieced = undefined;
    for (;;) {
      const count = this.#call.tokenize(this.#desk, length) >>> 0;
      if (count < MISSING) return count;
      this.#addPage(this.#call.directoryOf(this.#desk), count - MISSING, foldPage(count - MISSING));
    }
  }

  #tokenizePieces(text: string): number {
    if (this.#pieced?.text === text) return this.#pieced.count;
    this.#context = undefined;
    const normal = normalizePieces(text.length > PIECE_UNITS ? text.slice(0, PIECE_UNITS) : text).slice(0, PIECE_UNITS);
    this.#text.write(normal, 'utf16le');
    for (;;) {
      const count = this.#call.tokenizePieces(this.#desk, normal.length) >>> 0;
      if (count < MISSING) {
        this.#pieced = { text, count };
        return count;
      }
      this.#addPage(this.#call.classesOf(this.#desk), count - MISSING, classPage(count - MISSING));
    }
  }

  /** Adds what is known of 256 characters to a directory. */
  #addPage(directory: number, page: number, bytes: Uint8Array): void {
    if (this.#free + bytes.length > this.#freeEnd) {
      this.#free = grow(this.#memory, PAGE);
      this.#freeEnd = this.#free + PAGE;
    }
    new Uint8Array(this.#memory.buffer).set(bytes, this.#free);
    new DataView(this.#memory.buffer).setUint32(directory + page * 4, this.#free, true);
    this.#free += bytes.length;
  }
}
