// Passages a second of the encoder that is included in the package, through the provider `local`, beside the library
// that it uses as the library's documentation calls it: a list of texts at once, with mean pooling. Both in this
// process, in turn.
import { createChunker, embeddedText } from '../../src/docs/embeddings/chunker.ts';
import { StaticProvider } from '../../src/embedding/builtin/static-provider.ts';
import { createEmbeddingProvider } from '../../src/embedding/index.ts';
import { shippedSource } from '../../src/embedding/local/model-source.ts';
import { knownItems } from '../relevance/known-items.ts';
import { CORPUS_HINT, seeded } from '../support/corpus.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { figure, median, missing, type Section } from '../support/table.ts';

const TITLE = 'Encoder: passages a second';
const LIBRARY = '@huggingface/transformers';
const PASSAGES = scaled(1024, 64);
/** Texts in one call. */
const BATCH = 64;
const SEED = 7;
const TARGET = 1.5;

interface Library {
  pipeline(task: 'feature-extraction', model: string,
    options: object): Promise<(texts: string[], options: { pooling: 'mean'; normalize: true }) => Promise<unknown>>;
}

export async function benchEncoderSpeed(): Promise<Section[]> {
  const known = await knownItems();
  if (known === undefined) return [missing(TITLE, `it needs the folder docs-mdn: ${CORPUS_HINT}`)];
  const library = await import(LIBRARY).catch(() => undefined) as Library | undefined;
  if (library === undefined) return [missing(TITLE, `it needs the package ${LIBRARY}`)];
  progress('encoder: passages');
  const style = new StaticProvider().passages;
  const chunker = createChunker({ chunkEnabled: true, chunkMode: undefined, chunkSize: undefined }, () => style);
  const random = seeded(SEED);
  const texts = Array.from({ length: PASSAGES }, () => {
    const { id, title, text } = known.pages[Math.floor(random() * known.pages.length)]!;
    const chunks = chunker.chunksOf({ key: id, meta: { title: [title] }, contentMd: text });
    return embeddedText(
      chunks[Math.floor(random() * chunks.length)] ?? { text: title, start: 0, end: 0, startLine: 1, endLine: 1 },
    );
  });
  const { model, dtype } = shippedSource();
  const extractor = await library.pipeline('feature-extraction', model, { dtype, local_files_only: true });
  const provider = createEmbeddingProvider({ provider: 'local' });
  const own: number[] = [];
  const theirs: number[] = [];
  await provider.embed(texts.slice(0, BATCH), 'document');
  await extractor(texts.slice(0, BATCH), { pooling: 'mean', normalize: true });
  for (let i = 0; i < texts.length; i += BATCH) {
    const batch = texts.slice(i, i + BATCH);
    own.push(await seconds(() => provider.embed(batch, 'document')) / batch.length);
    theirs.push(await seconds(() => extractor(batch, { pooling: 'mean', normalize: true })) / batch.length);
  }
  await provider.close();
  const ratio = median(theirs.map((time, i) => time / own[i]!));
  return [{
    title: TITLE,
    header: ['', 'passages/s'],
    rows: [['provider `local`', figure(1 / median(own))], [`${LIBRARY}, ${BATCH} texts a call`,
      figure(1 / median(theirs))], ['ratio (median of the batches)',
      `${ratio.toFixed(2)}x, target at least ${TARGET}x: ${ratio >= TARGET ? 'yes' : 'no'}`]],
    notes: [`${texts.length} passages of MDN, ${BATCH} in each call, the same ones in turn.`],
  }];
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
