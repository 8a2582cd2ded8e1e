// Larger files of each format, made from the text of the corpus or generated, identical in each run.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Archive } from '../../src/convert/archive.ts';
import { pdf, type PdfPageContent, type PdfText } from '../../src/convert/test-fixture.ts';
import { prose, seeded } from '../support/corpus.ts';
import { scaled } from '../support/scale.ts';
import { plainZip } from './plain-zip.ts';

/** A file of the throughput test; `bytes` counts what is read, for office files the unpacked XML. */
export interface LargeFile {
  readonly kind: string;
  readonly path: string;
  readonly bytes: number;
}

const TARGET = scaled(1_000_000, 30_000);

export function largeFiles(corpus: string, folder: string): LargeFile[] {
  const made: [kind: string, content: Uint8Array, bytes: number][] = [['docx',
    ...repeatedPart(join(corpus, 'testWORD_various.docx'), 'word/document.xml', /<w:body>/, '<w:sectPr', '</w:body>')],
    ['odt',
      ...repeatedPart(join(corpus, 'TestTextSelection.odt'), 'content.xml', /<office:text[^>]*>/, '</office:text>',
        '</office:text>')],
    plain('html',
      repeated(readFileSync(join(corpus, 'todomvc-index.html'), 'utf8'), '<div class="container">', '</body>')),
    plain('tex', repeated(readFileSync(join(corpus, 'article.tex'), 'utf8'), '\\section{First', '\\end{document}')),
    plain('rtf', largeRtf()), ['pdf', ...sized(largePdf())]];
  return made.map(([kind, content, bytes]) => {
    const path = join(folder, `large.${kind}`);
    writeFileSync(path, content);
    return { kind, path, bytes };
  });
}

function plain(kind: string, text: string): [string, Uint8Array, number] {
  return [kind,
    ...sized(
      Buffer.from(text, 'latin1').toString('latin1') === text ? Buffer.from(text, 'latin1') : Buffer.from(text),
    )];
}

function sized(bytes: Uint8Array): [Uint8Array, number] {
  return [bytes, bytes.length];
}

function repeated(text: string, from: string, to: string, also = to): string {
  const start = text.indexOf(from);
  const end = text.lastIndexOf(to) >= 0 ? text.lastIndexOf(to) : text.lastIndexOf(also);
  const body = text.slice(start, end);
  return text.slice(0, start) + body.repeat(Math.ceil(TARGET / body.length)) + text.slice(end);
}

function repeatedPart(file: string, part: string, open: RegExp, to: string, also: string): [Uint8Array, number] {
  const archive = new Archive(readFileSync(file));
  const text = archive.read(part)!.toString('utf8');
  const start = open.exec(text)!;
  const from = text.slice(start.index + start[0].length, start.index + start[0].length + 40);
  const large = repeated(text, from, to, also);
  const entries = Object.fromEntries(archive.names.map((name) => [name, name === part ? large : archive.read(name)!]));
  return [plainZip(entries), large.length];
}

function largeRtf(): string {
  const random = seeded(1);
  const paragraphs = Array.from({ length: Math.ceil(TARGET / 900) },
    (_, i) =>
      `\\pard${i % 20 === 0 ? '\\s1 ' : ' '}{\\b ${prose(random, 20)}} ${prose(random, i % 20 === 0 ? 30 : 900)}\\par`);
  return `{\\rtf1\\ansi{\\fonttbl{\\f0 Times;}}{\\stylesheet{\\s0 Normal;}{\\s1 heading 1;}}${paragraphs.join('\n')}}`;
}

function largePdf(): Uint8Array {
  const random = seeded(2);
  return pdf(Array.from({ length: Math.ceil(TARGET / 7000) }, (_, page): PdfPageContent => ({
    texts: [{ x: 72, y: 760, text: 'A running header' },
      ...Array.from({ length: 55 }, (_, line): PdfText => ({ x: 72, y: 740 - 12.5 * line, text: words(random, 80) })), {
      x: 300,
      y: 30,
      text: String(page + 1),
    }],
  })));
}

/** Four pages of two columns with running headers; every sentence is known. */
export function twoColumnPdf(): { bytes: Uint8Array; path: string; order: string[] } {
  const random = seeded(3);
  const order: string[] = [];
  const pages = Array.from({ length: 4 }, (_, page): PdfPageContent => {
    const texts: PdfText[] = [{ x: 200, y: 765, text: 'Proceedings of a meeting' }, {
      x: 300,
      y: 28,
      text: String(page + 1),
    }];
    for (const x of [50, 320]) {
      const sentences = Array.from({ length: 22 }, () => `${words(random, 70)}.`.replace(/^w/, 'W'));
      order.push(...sentences);
      wrapped(sentences.join(' '), 44).slice(0, 56).forEach((text, line) =>
        texts.push({ x, y: 740 - 12 * line, text })
      );
    }
    return { texts };
  });
  const bytes = pdf(pages);
  const path = join(mkdtempSync(join(tmpdir(), 'quire-bench-')), 'columns.pdf');
  writeFileSync(path, bytes);
  return { bytes, path, order };
}

/** Prose without digits, which a page may have in its margins. */
function words(random: () => number, bytes: number): string {
  return prose(random, bytes).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!);
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}
