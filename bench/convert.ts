// Conversion of files to markdown: how much survives of real files whose structure was annotated by
// hand, compared with pandoc and pdftotext, and the throughput with two workers.
import { createConverter } from '../src/convert/index.ts';
import { measureFidelity } from './convert/fidelity.ts';
import { largeFiles } from './convert/generated.ts';
import { measureThroughput } from './convert/throughput.ts';
import { measureWebPages, WEB_PAGES_COMMIT } from './convert/web-pages.ts';
import { CORPUS_HINT, corpusFolder } from './support/corpus.ts';
import { figure, missing, type Section } from './support/table.ts';

export async function benchConvert(folder: string): Promise<Section[]> {
  const corpus = corpusFolder('office');
  if (corpus === undefined) return [missing('Conversion', `it needs the folder office: ${CORPUS_HINT}`)];
  const converter = createConverter({ workers: 2, timeoutMs: 60_000, memoryMb: 512, maxOutput: 10_000_000 });
  const pages = corpusFolder('web-pages');
  const [fidelity, web] =
    await (async () =>
      [await measureFidelity(corpus, converter),
        pages === undefined ? undefined : await measureWebPages(pages, converter)] as const)().finally(() =>
        converter.close());
  const throughput = await measureThroughput(largeFiles(corpus, folder));
  const shown = (value: number | undefined,
    digits = 3) => (value === undefined ? 'not installed' : value.toFixed(digits));
  return [{
    title: 'Fidelity of conversion',
    header: ['format', 'measure', 'annotated', 'Quire', 'pandoc, pdftotext -layout'],
    rows: fidelity.map((row) => [row.format, row.measure, figure(row.of), shown(row.quire), shown(row.peer)]),
    notes: [
      'F1 of what the files of the public office corpus hold by hand-written annotations; phrases are the share ' +
      'of those in its manifest. Of pandoc the better of two dialects counts for each file.',
    ],
  }, webSection(web), {
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
