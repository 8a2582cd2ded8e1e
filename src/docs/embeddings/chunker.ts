import { crc32 } from 'node:zlib';
import type { PassageStyle } from '../../embedding/index.ts';
import { chunkKernel } from '../../kernels/chunk.ts';
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
export function embeddedText({ text, context = '' }: DocumentChunk): string {
  return context === '' ? text : `${context}\n${text}`;
}

/**
 * Prose and code are cut by different rules (contract, "Code documents"; decisions section 4.3). The content of a document decides its kind,
 * unless the server forces one; without chunking, a body is one chunk. `passages` returns the style that suits the current model, if it has
 * one: then prose is cut into passages of that size, which are embedded with the title and headings above them. The first of these passages
 * is the document's lead.
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
      const trail = style === undefined || code ? undefined : new HeadingTrail(contentMd, titleOf(document));
      const chunks = ranges.map((range) => ({ text: bytes.toString('utf8', range.start, range.end), ...(trail && { context: trail.above(range.startLine) }), ...range }));
      // The kernels know only ASCII whitespace; a chunk of other whitespace has nothing to embed either.
      return chunks.filter(({ text }) => text.trim() !== '');
    },
    chunkingOf(document) {
      if (!chunkEnabled) return 'whole';
      const style = passages();
      const size = chunkSizeOf(settings, style);
      if (isCode(document)) return `code ${lexicalProfile(codeLanguage(document))} ${size}`;
      // The title is embedded too, so another title makes other chunks.
      return style === undefined ? `prose ${size}` : `passages ${size} ${crc32(titleOf(document) ?? '').toString(16)}`;
    },
  };
}

function titleOf({ meta }: Cuttable): string | undefined {
  return meta['title']?.find((title) => title.trim() !== '');
}

/** A final line break ends the last line and does not begin another. */
function lastLine(text: string): number {
  return text.trimEnd().split('\n').length;
}
