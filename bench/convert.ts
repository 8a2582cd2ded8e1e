// Conversion of files to markdown: how much survives of real files whose structure was annotated by
// hand, compared with pandoc and pdftotext, and the throughput with two workers.
import { createConverter } from '../src/convert/index.ts';
import { measureFidelity } from './convert/fidelity.ts';
import { largeFiles } from './convert/generated.ts';
import { measureThroughput } from './convert/throughput.ts';
import { CORPUS_HINT, corpusFolder } from './support/corpus.ts';
import { figure, missing, type Section } from './support/table.ts';

export async function benchConvert(folder: string): Promise<Section[]> {
  const corpus = corpusFolder('office');
  if (corpus === undefined) return [missing('Conversion', `it needs the folder office: ${CORPUS_HINT}`)];
  const converter = createConverter({ workers: 2, timeoutMs: 60_000, memoryMb: 512, maxOutput: 10_000_000 });
  const fidelity = await measureFidelity(corpus, converter).finally(() => converter.close());
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
  }, {
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
