import { chunkKernel } from '../../kernels/chunk.ts';
import { lexicalProfile } from '../../text/chunk/index.ts';
import { codeLanguage, isCodeDocument } from '../../text/code/index.ts';
import type { Meta } from '../documents/index.ts';
import type { EmbeddingSettings } from './settings.ts';

/** What decides how a document is cut, its body aside. */
export interface Cuttable {
  readonly key: string;
  readonly meta: Meta;
}

/** A piece of a body: the text to embed and where it stands. */
export interface DocumentChunk {
  readonly text: string;
  /** Lines of its first and last character, counted from 1. */
  readonly startLine: number;
  readonly endLine: number;
  /** Bytes of the body's UTF-8, the end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The only place which decides how documents are cut for embeddings. */
export interface Chunker {
  /** The chunks of a body, in order and without overlap; none when it is blank. */
  chunksOf(document: Cuttable & { readonly contentMd: string }): DocumentChunk[];
  /** Names the way in which a document is cut: equal names and equal bodies give equal chunks. */
  chunkingOf(document: Cuttable): string;
}

/**
 * Prose and code are cut by their own rules (contract, "Code documents"; decisions section 4.3). What a
 * document is decides its kind, unless the server forces one; without chunking, a body is one chunk.
 */
export function createChunker({ chunkEnabled, chunkMode, chunkSize }: Pick<EmbeddingSettings, 'chunkEnabled' | 'chunkMode' | 'chunkSize'>): Chunker {
  const isCode = (document: Cuttable): boolean => (chunkMode === undefined ? isCodeDocument(document) : chunkMode === 'code');
  return {
    chunksOf(document) {
      const { contentMd } = document;
      if (contentMd.trim() === '') return [];
      const bytes = Buffer.from(contentMd);
      if (!chunkEnabled) return [{ text: contentMd, startLine: 1, endLine: lastLine(contentMd), start: 0, end: bytes.length }];
      const kernel = chunkKernel();
      const ranges = isCode(document) ? kernel.code(bytes, lexicalProfile(codeLanguage(document)), chunkSize) : kernel.prose(bytes, chunkSize);
      const chunks = ranges.map((range) => ({ text: bytes.toString('utf8', range.start, range.end), ...range }));
      // The kernels know ASCII whitespace alone; a chunk of other spaces has nothing to embed either.
      return chunks.filter(({ text }) => text.trim() !== '');
    },
    chunkingOf(document) {
      if (!chunkEnabled) return 'whole';
      return isCode(document) ? `code ${lexicalProfile(codeLanguage(document))} ${chunkSize}` : `prose ${chunkSize}`;
    },
  };
}

/** A final line break ends the last line and begins none. */
function lastLine(text: string): number {
  return text.trimEnd().split('\n').length;
}
