// Conversion of files to markdown: how much survives of real files whose structure was annotated by hand, the phrases
// kept of further public files, both compared with pandoc and pdftotext, and the throughput with two workers.
import { createConverter } from '../src/convert/index.ts';
import { measureFidelity } from './convert/fidelity.ts';
import { largeFiles } from './convert/generated.ts';
import { measurePublicFiles, type PublicFilesRow } from './convert/public-files.ts';
import { measureThroughput } from './convert/throughput.ts';
import { measureWebPages, WEB_PAGES_COMMIT } from './convert/web-pages.ts';
import { CORPUS_HINT, corpusFolder } from './support/corpus.ts';
import { figure, missing, type Section } from './support/table.ts';

export async function benchConvert(folder: string): Promise<Section[]> {
  const corpus = corpusFolder('office');
  if (corpus === undefined) return [missing('Conversion', `it needs the folder office: ${CORPUS_HINT}`)];
  const converter = createConverter({ workers: 2, timeoutMs: 60_000, memoryMb: 512, maxOutput: 10_000_000 });
  const [pages, files] = [corpusFolder('web-pages'), corpusFolder('public-files')];
  const [fidelity, web, kept] =
    await (async () =>
      [await measureFidelity(corpus, converter),
        pages === undefined ? undefined : await measureWebPages(pages, converter),
        files === undefined ? undefined : await measurePublicFiles(files, converter)] as const)().finally(() =>
        converter.close());
  const throughput = await measureThroughput(largeFiles(corpus, folder));
  return [{
    title: 'Fidelity of conversion',
    header: ['format', 'measure', 'annotated', 'Quire', 'pandoc, pdftotext -layout'],
    rows: fidelity.map((row) => [row.format, row.measure, figure(row.of), shown(row.quire), shown(row.peer)]),
    notes: [
      'F1 of what the files of the public office corpus hold by hand-written annotations; phrases are the share ' +
      'of those in its manifest. Of pandoc the better of two dialects counts for each file.',
    ],
  }, filesSection(kept), webSection(web), {
    title: 'Speed of conversion',
    header: ['format', 'Quire, MB/s', 'pandoc, pdftotext, MB/s', 'ratio'],
    rows: throughput.map((
      { kind, quire, peer },
    ) => [kind, figure(quire), peer === undefined ? 'not installed' : figure(peer),
      peer === undefined ? '' : (quire / peer).toFixed(2)]
    ),
    notes: ['Four files of about 1 MB (office files unpacked), two at a time: two worker threads, or two processes.'],
  }];
}

function shown(value: number | undefined): string {
  return value === undefined ? 'not installed' : value.toFixed(3);
}

function filesSection(rows: readonly PublicFilesRow[] | undefined): Section {
  const title = 'Phrases of public files';
  if (rows === undefined)
    return missing(title, `it needs the files of convert/public-files.json as the folder public-files: ${CORPUS_HINT}`);
  return {
    title,
    header: ['format', 'files', 'phrases', 'Quire', 'pandoc, pdftotext -layout'],
    rows: rows.map((
      { format, files, phrases, quire, peer },
    ) => [format, figure(files), figure(phrases), shown(quire), shown(peer)]),
    notes: [
      'The share of phrases kept; case and white space do not count. Of web pages Quire keeps only the main content, ' +
      'pandoc everything. Of pandoc the better of two dialects counts for each file.',
    ],
  };
}

function webSection(web: Awaited<ReturnType<typeof measureWebPages>> | undefined): Section {
  const title = 'Main content of web pages';
  const where = `the folder \`tests\` of github.com/adbar/trafilatura at ${WEB_PAGES_COMMIT}`;
  if (web === undefined) return missing(title, `it needs ${where} as the folder web-pages: ${CORPUS_HINT}`);
  const share = (part: number, of: number) => `${((100 * part) / of).toFixed(1)} %`;
  return {
    title,
    header: ['pages', 'wanted phrases kept', 'unwanted phrases left', 'pages refused'],
    rows: [[figure(web.pages), share(web.kept, web.wanted), share(web.left, web.unwanted), figure(web.refused)]],
    notes: [`Phrases that people noted for ${where}.`],
  };
}
