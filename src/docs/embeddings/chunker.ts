import { crc32 } from 'node:zlib';
import type { PassageStyle } from '../../embedding/index.ts';
import { chunkKernel, type ChunkRange } from '../../kernels/chunk.ts';
import { lexicalProfile } from '../../text/chunk/index.ts';
import { codeLanguage, isCodeDocument } from '../../text/code/index.ts';
import { HeadingTrail } from '../../text/headings.ts';
import type { Meta } from '../documents/index.ts';
import { isEnglish } from './known-language.ts';
import { chunkSizeOf, type EmbeddingSettings } from './settings.ts';

/** The parts of a document that decide how it is cut, except its body. */
export interface Cuttable {
  readonly key: string;
  readonly lang?: string | undefined;
  readonly meta: Meta;
}

/** A piece of a body and its position. */
export interface DocumentChunk {
  readonly text: string;
  /** The title and the headings above it, if they are to be embedded with it. */
  readonly context?: string;
  /** The text without its markup, if that is to be embedded instead. */
  readonly plain?: string;
  /** Lines of its first and last character, counted from 1. */
  readonly startLine: number;
  readonly endLine: number;
  /** Byte offsets in the body's UTF-8, the end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** A chunk that is to be embedded and not shown. */
export interface Piece extends ChunkRange {
  readonly context: string;
  /**
   * The UTF-8 of what is embedded behind the context: as `plain`, but for runs of spaces and whitespace around it,
   * which no token has. Undefined if it has a character beyond ASCII at its beginning or end, which may be whitespace,
   * or nothing at all.
   */
  readonly utf8: Uint8Array | undefined;
  /** The whole chunk; undefined if it is blank. Must be called before the next piece is requested. */
  readonly chunk: () => DocumentChunk | undefined;
}

/** The only place that decides how documents are cut for embeddings. */
export interface Chunker {
  /** The chunks of a body, in order and without overlap; none if it is blank. */
  chunksOf(document: Cuttable & { readonly contentMd: string }): DocumentChunk[];
  /**
   * The same chunks for embedding, and blank ones: without their strings, which take longer to make than the vectors.
   */
  piecesOf(document: Cuttable & { readonly contentMd: string; readonly utf8: Buffer }): Iterable<Piece>;
  /**
   * Names the way in which a document is cut: equal names and equal bodies produce equal chunks, and equal vectors of a
   * model that knows more than English.
   */
  chunkingOf(document: Cuttable): string;
}

/** The text to embed for a chunk. */
export function embeddedText({ text, context = '', plain = text }: DocumentChunk): string {
  return context === '' ? plain : `${context}\n${plain}`;
}

/**
 * Prose and code are cut by different rules (contract, "Code documents"; decisions section 4.3). The content of a
 * document decides its kind, unless the server forces one; without chunking, a body is one chunk. `passages` returns
 * the style that suits the current model, if it has one: then prose is cut into passages of that size, which are
 * embedded without their markup, with the title and headings above them. A passage of nothing but markup, such as code,
 * is embedded as it is. The first passage is the document's lead. If the style depends on the language, documents that
 * are not known to be in English have passages of about as much text as English ones, whatever their script.
 */
export function createChunker(settings: Pick<EmbeddingSettings, 'chunkEnabled' | 'chunkMode' | 'chunkSize'>,
  passages: () => PassageStyle | undefined = () => undefined): Chunker
{
  const { chunkEnabled, chunkMode } = settings;
  const isCode = (
    document: Cuttable,
  ): boolean => (chunkMode === undefined ? isCodeDocument(document) : chunkMode === 'code');
  const isByLanguage = ({ lang }: Cuttable): boolean => passages()?.byLanguage === true && isEnglish(lang) !== true;
  const cut = (document: Cuttable & { readonly contentMd: string }, bytes: Buffer): CutBody => {
    const { contentMd } = document;
    if (contentMd.trim() === '') return { bytes, ranges: [], passages: undefined };
    if (!chunkEnabled)
      return {
        bytes,
        ranges: [{ startLine: 1, endLine: lastLine(contentMd), start: 0, end: bytes.length }],
        passages: undefined,
      };
    const kernel = chunkKernel();
    const style = passages();
    const size = chunkSizeOf(settings, style);
    const code = isCode(document);
    const ranges = code
      ? kernel.code(bytes, lexicalProfile(codeLanguage(document)), size)
      : kernel.prose(bytes, size, isByLanguage(document));
    const isPlain = style !== undefined && !code;
    return {
      bytes,
      ranges,
      passages: isPlain
        ? { unmarked: kernel.withoutMarkup(bytes), trail: new HeadingTrail(contentMd, titleOf(document)) }
        : undefined,
    };
  };
  return {
    chunksOf(document) {
      const whole = cut(document, Buffer.from(document.contentMd));
      // The kernels know only ASCII whitespace; a chunk of other whitespace has nothing to embed either.
      return whole.ranges.map((range) => chunkAt(whole, range)).filter(({ text }) => text.trim() !== '');
    },
    piecesOf: (document) => piecesIn(cut(document, document.utf8)),
    chunkingOf(document) {
      const style = passages();
      const size = chunkSizeOf(settings, style);
      const name = (): string => {
        if (!chunkEnabled) return 'whole';
        if (isCode(document)) return `code ${lexicalProfile(codeLanguage(document))} ${size}`;
        // The title is embedded too, so another title makes other chunks. `passages` were embedded with their markup.
        return style === undefined ? `prose ${size}` : `plain ${size} ${crc32(titleOf(document) ?? '').toString(16)}`;
      };
      return isByLanguage(document) ? `${name()} pieces` : name();
    },
  };
}

/** A body and where it is cut. */
interface CutBody {
  readonly bytes: Buffer;
  /** In ascending order. */
  readonly ranges: readonly ChunkRange[];
  /** The body without its markup, and the headings above its lines, if that is what is embedded. */
  readonly passages: { readonly unmarked: Buffer; readonly trail: HeadingTrail } | undefined;
}

function chunkAt({ bytes, passages }: CutBody, range: ChunkRange): DocumentChunk {
  const { start, end, startLine, endLine } = range;
  const text = bytes.toString('utf8', start, end);
  if (passages === undefined) return { text, startLine, endLine, start, end };
  const plain = passages.unmarked.toString('utf8', start, end).trim().replace(/ {2,}/g, ' ');
  return {
    text,
    context: passages.trail.above(startLine),
    plain: plain || undefined,
    startLine,
    endLine,
    start,
    end,
  };
}

function* piecesIn(whole: CutBody): Generator<Piece> {
  const { bytes, ranges, passages } = whole;
  for (const range of ranges) {
    const chunk = (): DocumentChunk | undefined => {
      const found = chunkAt(whole, range);
      return found.text.trim() === '' ? undefined : found;
    };
    yield {
      ...range,
      context: passages?.trail.above(range.startLine) ?? '',
      utf8: trimmed(passages?.unmarked ?? bytes, range.start, range.end),
      chunk,
    };
  }
}

const DELETE = 0x7f;

/**
 * A part of a text without ASCII whitespace around it; undefined if that is nothing, or begins or ends with another
 * character than one of ASCII.
 */
function trimmed(utf8: Buffer, start: number, end: number): Uint8Array | undefined {
  while (start < end && isSpace(utf8[start]!)) start++;
  while (start < end && isSpace(utf8[end - 1]!)) end--;
  return start < end && utf8[start]! < DELETE && utf8[end - 1]! < DELETE ? utf8.subarray(start, end) : undefined;
}

/** Tab to carriage return, or a space. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function titleOf({ meta }: Cuttable): string | undefined {
  return meta['title']?.find((title) => title.trim() !== '');
}

/** A final line break ends the last line and does not begin another. */
function lastLine(text: string): number {
  return text.trimEnd().split('\n').length;
}
