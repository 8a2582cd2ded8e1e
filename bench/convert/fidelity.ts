// How much survives a conversion: known phrases of real files, and their structure as annotated by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Converter } from '../../src/convert/index.ts';
import { twoColumnPdf } from './generated.ts';
import { isInstalled, pandocMarkdown, pdftotext } from './pandoc.ts';
import { f1, normal, type Structure, structureOf } from './structure.ts';

const PARTS = ['headings', 'cells', 'items', 'links', 'notes'] as const;

type Annotation = Partial<Structure> & { readonly order?: readonly string[] };

interface Tally {
  hits: number;
  expected: number;
  found: number;
}

type Tallies = Record<string, Tally>;

export interface FidelityRow {
  readonly format: string;
  readonly measure: string;
  readonly quire: number;
  readonly peer: number | undefined;
  readonly of: number;
}

/**
 * F1 by format and part over the files of a corpus, compared with pandoc; for PDF the order of text, compared with
 * pdftotext.
 */
export async function measureFidelity(corpus: string, converter: Converter): Promise<FidelityRow[]> {
  const manifest = JSON.parse(readFileSync(join(corpus, 'expected.json'), 'utf8')) as { file: string; type: string;
    expect: string[] }[];
  const annotations = JSON.parse(readFileSync(join(import.meta.dirname, 'annotations.json'), 'utf8')) as Record<string,
    Annotation>;
  const [pandoc, poppler] = [isInstalled('pandoc'), isInstalled('pdftotext')];
  const rows: FidelityRow[] = [];
  for (const kind of ['docx', 'odt', 'rtf', 'html', 'tex']) {
    const files = manifest.filter(({ type }) => type === kind);
    const [own, peer]: [Tallies, Tallies] = [{}, {}];
    for (const { file, expect } of files) {
      const path = join(corpus, file);
      const { contentMd, meta } = await converter.convert({ bytes: Uint8Array.from(readFileSync(path)), name: file });
      const annotation = annotations[file] ?? {};
      // A title that is not in the text is in the metadata.
      add(own, score(`${contentMd}\n\n${meta['title']?.[0] ?? ''}`, expect, annotation));
      if (pandoc)
        add(peer, pandocMarkdown(kind, path).map((markdown) =>
          score(markdown, expect, annotation)
        ).sort((a, b) => mean(b) - mean(a))[0]!);
    }
    for (const [measure, tally] of Object.entries(own)) {
      if (tally.expected > 0)
        rows.push({
          format: kind,
          measure,
          quire: value(tally),
          peer: pandoc ? value(peer[measure]!) : undefined,
          of: tally.expected,
        });
    }
  }
  const pdfs = manifest.filter(({ type }) => type === 'pdf').map(({ file }) => ({
    bytes: Uint8Array.from(readFileSync(join(corpus, file))),
    path: join(corpus, file),
    order: annotations[file]?.order ?? [],
  }));
  rows.push(await textOrder('pdf', pdfs, converter, poppler));
  const generated = twoColumnPdf();
  rows.push(await textOrder('pdf, two columns', [generated], converter, poppler));
  return rows;
}

async function textOrder(format: string,
  files: readonly { bytes: Uint8Array; path: string; order: readonly string[] }[], converter: Converter,
  poppler: boolean): Promise<FidelityRow>
{
  let [own, peer, of] = [0, 0, 0];
  for (const { bytes, path, order } of files) {
    of += order.length;
    own += inOrder(structureOf((await converter.convert({ bytes, name: 'a.pdf' })).contentMd).text, order);
    if (poppler) peer += inOrder(normal(pdftotext(path)), order);
  }
  return { format, measure: 'phrases whole and in order', quire: own / of, peer: poppler ? peer / of : undefined, of };
}

function score(markdown: string, phrases: readonly string[], annotation: Annotation): Tallies {
  const found = structureOf(markdown);
  const hits = phrases.filter((phrase) => found.text.includes(normal(phrase))).length;
  const tallies: Tallies = { phrases: { hits, expected: phrases.length, found: phrases.length } };
  for (const part of PARTS) tallies[part] = f1((annotation[part] ?? []).map(comparable), found[part].map(comparable));
  return tallies;
}

/** Formulas in cells have dollar signs in our output and none in pandoc's; both count. */
function comparable(entry: unknown): unknown {
  return typeof entry === 'string' ? entry.replace(/[$^_\s]/g, '') : entry;
}

function add(sum: Tallies, next: Tallies): void {
  for (const [part, { hits, expected, found }] of Object.entries(next)) {
    const tally = (sum[part] ??= { hits: 0, expected: 0, found: 0 });
    tally.hits += hits;
    tally.expected += expected;
    tally.found += found;
  }
}

function value({ hits, expected, found }: Tally): number {
  return expected + found === 0 ? 1 : (2 * hits) / (expected + found);
}

function mean(tallies: Tallies): number {
  return Object.values(tallies).reduce((sum, tally) => sum + value(tally), 0);
}

/** The number of phrases that are complete and in this order: the longest increasing run of their positions. */
function inOrder(text: string, phrases: readonly string[]): number {
  const places: number[] = [];
  const lengths: number[] = [];
  let from = 0;
  for (const phrase of phrases) {
    const wanted = normal(phrase);
    const next = text.indexOf(wanted, from);
    const place = next >= 0 ? next : text.indexOf(wanted);
    if (place < 0) continue;
    if (next >= 0) from = next + wanted.length;
    let best = 0;
    places.forEach((before, index) => {
      if (before < place) best = Math.max(best, lengths[index]!);
    });
    places.push(place);
    lengths.push(best + 1);
  }
  return Math.max(0, ...lengths);
}
