import { crc32 } from 'node:zlib';
import type { PassageStyle } from '../../embedding/index.ts';
import { chunkKernel, type ChunkRange } from '../../kernels/chunk.ts';
import { lexicalProfile } from '../../text/chunk/index.ts';
import { codeLanguage, isCodeDocument } from '../../text/code/index.ts';
import { HeadingTrail } from '../../text/heading-trail.ts';
import type { Meta } from '../documents/index.ts';
import { chunkSizeOf, type EmbeddingSettings } from './settings.ts';

/** The parts of a document that decide how it is cut, except its body. */
export interface Cuttable {
  readonly key: string;
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

/** The only place that decides how documents are cut for embeddings. */
export interface Chunker {
  /** The chunks of a body, in order and without overlap; none if it is blank. */
  chunksOf(document: Cuttable & { readonly contentMd: string }): DocumentChunk[];
  /** Names the way in which a document is cut: equal names and equal bodies produce equal chunks. */
  chunkingOf(document: Cuttable): string;
}

/** The text to embed for a chunk. */
export function embeddedText({ text, context = '', plain = text }: DocumentChunk): string {
  return context === '' ? plain : `${context}\n${plain}`;
}

/**
 * Prose and code are cut by different rules (contract, "Code documents"; decisions section 4.3). The content of a document decides its kind,
 * unless the server forces one; without chunking, a body is one chunk. `passages` returns the style that suits the current model, if it has
 * one: then prose is cut into passages of that size, which are embedded without their markup, with the title and headings above them. A
 * passage of nothing but markup, such as code, is embedded as it is. The first passage is the document's lead.
 */
export function createChunker(settings: Pick<EmbeddingSettings, 'chunkEnabled' | 'chunkMode' | 'chunkSize'>, passages: () => PassageStyle | undefined = () => undefined): Chunker {
  const { chunkEnabled, chunkMode } = settings;
  const isCode = (document: Cuttable): boolean => (chunkMode === undefined ? isCodeDocument(document) : chunkMode === 'code');
  return {
    chunksOf(document) {
      const { contentMd } = document;
      if (contentMd.trim() === '') return [];
      const bytes = Buffer.from(contentMd);
      if (!chunkEnabled) return [{ text: contentMd, startLine: 1, endLine: lastLine(contentMd), start: 0, end: bytes.length }];
      const kernel = chunkKernel();
      const style = passages();
      const size = chunkSizeOf(settings, style);
      const code = isCode(document);
      const ranges = code ? kernel.code(bytes, lexicalProfile(codeLanguage(document)), size) : kernel.prose(bytes, size);
      const passageOf = style === undefined || code ? undefined : passagesOf(document, kernel.withoutMarkup(bytes));
      const chunks = ranges.map((range) => ({ text: bytes.toString('utf8', range.start, range.end), ...passageOf?.(range), ...range }));
      // The kernels know only ASCII whitespace; a chunk of other whitespace has nothing to embed either.
      return chunks.filter(({ text }) => text.trim() !== '');
    },
    chunkingOf(document) {
      if (!chunkEnabled) return 'whole';
      const style = passages();
      const size = chunkSizeOf(settings, style);
      if (isCode(document)) return `code ${lexicalProfile(codeLanguage(document))} ${size}`;
      // The title is embedded too, so another title makes other chunks. `passages` were embedded with their markup.
      return style === undefined ? `prose ${size}` : `plain ${size} ${crc32(titleOf(document) ?? '').toString(16)}`;
    },
  };
}

/** What passages are embedded with, in ascending order; `unmarked` is the body without its markup. */
function passagesOf(document: Cuttable & { readonly contentMd: string }, unmarked: Buffer): (range: ChunkRange) => Pick<DocumentChunk, 'context' | 'plain'> {
  const trail = new HeadingTrail(document.contentMd, titleOf(document));
  return ({ start, end, startLine }) => {
    const plain = unmarked.toString('utf8', start, end).trim().replace(/ {2,}/g, ' ');
    return { context: trail.above(startLine), ...(plain !== '' && { plain }) };
  };
}

function titleOf({ meta }: Cuttable): string | undefined {
  return meta['title']?.find((title) => title.trim() !== '');
}

/** A final line break ends the last line and does not begin another. */
function lastLine(text: string): number {
  return text.trimEnd().split('\n').length;
}
