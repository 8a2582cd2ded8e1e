// Phrases of public files, as people have them, that a conversion must keep: from cells, boxes, notes, lists, columns,
// captions and headings. `public-files.json` names the files; its phrases are from their XML, their source, the text
// that their own project expects, or what pdftotext and striprtf read.
import type { Nodes } from 'mdast';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { ConversionError, type Converter } from '../../src/convert/index.ts';
import { isInstalled, pandocMarkdown, pdftotext } from './pandoc.ts';
import { normal } from './structure.ts';

export interface PublicFile {
  readonly format: string;
  readonly repository: string;
  readonly path: string;
  readonly phrases: readonly string[];
}

export interface PublicFilesRow {
  readonly format: string;
  readonly files: number;
  readonly phrases: number;
  /** Shares of the phrases that are kept. */
  readonly quire: number;
  readonly peer: number | undefined;
}

const parser = unified().use(remarkParse).use(remarkGfm);

export function publicFiles(): readonly PublicFile[] {
  const list = JSON.parse(readFileSync(join(import.meta.dirname, 'public-files.json'), 'utf8'));
  return (list as { files: PublicFile[] }).files;
}

/** The share of phrases kept, by format, over files in folders `OWNER+NAME` of a folder. */
export async function measurePublicFiles(folder: string, converter: Converter): Promise<PublicFilesRow[]> {
  const [pandoc, poppler] = [isInstalled('pandoc'), isInstalled('pdftotext')];
  const rows = new Map<string, { files: number; phrases: number; own: number; peer: number }>();
  for (const file of publicFiles()) {
    const path = join(folder, file.repository.replace('/', '+'), file.path);
    if (!existsSync(path)) throw new Error(`${file.repository}/${file.path} is missing in ${folder}`);
    const row = rows.get(file.format) ?? { files: 0, phrases: 0, own: 0, peer: 0 };
    rows.set(file.format, row);
    row.files += 1;
    row.phrases += file.phrases.length;
    row.own += file.phrases.length - lostPhrases(file, await convertedText(file, path, converter)).length;
    if (file.format === 'pdf' ? poppler : pandoc) {
      const texts = file.format === 'pdf' ? [pdftotext(path)] : pandocMarkdown(file.format, path).map(textOf);
      row.peer += file.phrases.length - Math.min(...texts.map((text) => lostPhrases(file, text).length));
    }
  }
  return [...rows].map(([format, { files, phrases, own, peer }]) => ({
    format,
    files,
    phrases,
    quire: own / phrases,
    peer: (format === 'pdf' ? poppler : pandoc) ? peer / phrases : undefined,
  }));
}

/** The phrases of a file that a text does not have; case and white space do not count. */
export function lostPhrases({ phrases }: PublicFile, text: string): string[] {
  const found = comparable(text);
  return phrases.filter((phrase) => !found.includes(comparable(phrase)));
}

/** The text of a file by Quire; empty if the file is refused. Of web pages only the main content is kept. */
export async function convertedText({ format }: PublicFile, path: string, converter: Converter): Promise<string> {
  const file = { bytes: Uint8Array.from(readFileSync(path)), name: `file.${format}` };
  try {
    const { contentMd, meta } = await converter.convert(file, format === 'html' ? { mainContent: true } : {});
    // A title that is not in the text is in the metadata.
    return textOf(`${contentMd}\n\n${meta['title']?.[0] ?? ''}`);
  } catch (error) {
    if (error instanceof ConversionError) return '';
    throw error;
  }
}

function textOf(markdown: string): string {
  return words(parser.parse(markdown));
}

/** The words of a tree, with those in HTML and in descriptions of pictures. */
function words(node: Nodes): string {
  if (node.type === 'html')
    return node.value.replace(/<\/?(?:a|em|mark|span|strong|sub|sup|u)\b[^<>]*>/g, '').replace(/<[^<>]*>/g, ' ');
  if (node.type === 'image') return ` ${node.alt ?? ''} `;
  if (node.type === 'break') return ' ';
  if ('value' in node) return node.value;
  if (!('children' in node)) return '';
  const isInline = ['paragraph', 'heading', 'link', 'strong', 'emphasis', 'delete', 'tableCell'].includes(node.type);
  return node.children.map(words).join(isInline ? '' : ' ');
}

/** Without the marks of formulas and raised characters, as in the structural comparison. */
function comparable(text: string): string {
  return normal(text.normalize('NFKC').replace(/[\u200b\u200e\u200f\u00ad\u2060$^_]/g, '')).toLowerCase();
}
