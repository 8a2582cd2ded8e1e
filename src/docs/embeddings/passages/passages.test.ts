import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { StaticProvider } from '../../../embedding/builtin/static-provider.ts';
import { EmbeddingKernel } from '../../../kernels/embedding.ts';
import { BodyCodec } from '../../../storage/index.ts';
import { EmbeddingFixture, Script } from '../../../testkit/embedding-fixture.ts';
import { createChunker, embeddedText } from '../chunker.ts';
import { isEnglish } from '../known-language.ts';
import { toBlob } from '../vector-blob.ts';
import { embedElsewhere, PassageThread } from './embed-elsewhere.ts';
import { makePassages, passagesOf } from './make-passages.ts';

const provider = new StaticProvider();
const settings = { chunkEnabled: true, chunkSize: undefined, chunkMode: undefined };
const codec = new BodyCodec();
const LONG = Array.from({ length: 100 },
  (_, i) => `## Loaf ${i}\n\nRye bread number ${i} is [dark](/en/dark), and keeps for ${i} days.\n`).join('\n');

const fixtures: EmbeddingFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});

async function open(make = () => new StaticProvider()): Promise<EmbeddingFixture> {
  const script = new Script();
  script.make = make;
  const fixture = await EmbeddingFixture.open({ provider: 'builtin', apiKey: '' }, { script });
  fixtures.push(fixture);
  return fixture;
}

describe('passages that are made together', () => {
  it('are those that the provider makes of each chunk, rounded as it is asked; damaged bodies are left out', async () => {
    const kernel = new EmbeddingKernel(await provider.sharedModel(false));
    const { chunksOf } = createChunker(settings, () => provider.passages);
    const body = fc.array(
      fc.constantFrom('word ', 'ß', '🧭', '\n\n', '# bread\n', '`code`', '\u3000', '\u2028', '\ufeff', '\t', 'x  y',
        '日本語の', 'größer ', 'தமிழ் ', 'long '.repeat(90)),
      { maxLength: 30 },
    ).map((parts) => parts.join(''));
    const document = fc.record({
      key: fc.constantFrom('a', 'a.ts'),
      title: fc.constantFrom('', 'Bread'),
      contentMd: body,
      precision: fc.constantFrom('int8' as const, 'float32' as const),
      isDamaged: fc.boolean(),
      lang: fc.constantFrom('en', 'ja', 'und'),
    });
    await fc.assert(fc.asyncProperty(fc.array(document, { maxLength: 5 }), async (documents) => {
      const texts = await Promise.all(documents.map(async ({ key, lang, title, contentMd, precision, isDamaged }) => (
        {
          key,
          lang,
          meta: JSON.stringify({ title: [title] }),
          body: isDamaged ? Uint8Array.of(9) : await codec.encode(contentMd),
          precision,
        }
      )));
      const made = makePassages(kernel, { settings, style: provider.passages, texts });
      const expected = await Promise.all(
        documents.map(async ({ key, lang, title, contentMd, precision, isDamaged }) => {
          if (isDamaged) return undefined;
          const passages = chunksOf({ key, lang, meta: { title: [title] }, contentMd });
          return Promise.all(passages.map(async (chunk) => {
            const [vector] = await provider.embed([embeddedText(chunk)], 'document', undefined, [isEnglish(lang)]);
            return {
              startLine: chunk.startLine,
              endLine: chunk.endLine,
              start: chunk.start,
              end: chunk.end,
              vector: new Uint8Array(toBlob(vector!, precision)),
            };
          }));
        }),
      );
      expect(
        passagesOf(made, provider.dimensions, texts).map((own) =>
          own?.map((passage) => ({ ...passage, vector: new Uint8Array(passage.vector) }))
        ),
      ).toEqual(expected);
    }), { numRuns: 40 });
  });
});

describe('documents that are embedded elsewhere', () => {
  it('have the vectors that they would have here, in the precision that their collection asks for', async () => {
    const fixture = await open(() =>
      Object.assign(new StaticProvider(), { embed: () => Promise.reject(new Error('this thread embeds nothing')) })
    );
    await fixture.add('long', LONG);
    await fixture.call('setCollectionConfig', { collection: 'full', quantization: 'int8' });
    await fixture.call('addDocument', { collection: 'full', key: 'long', lang: 'en', contentMd: LONG });
    await fixture.embeddings.settled();
    const { chunksOf } = createChunker(settings, () => provider.passages);
    const texts = chunksOf({ key: 'long', meta: {}, contentMd: LONG }).map(embeddedText);
    const full = await provider.embed(texts, 'document');
    const blobs = await fixture.sql.all<{ vector: Uint8Array; stored: string }>(
      'SELECT v.vector, e.stored FROM vectors v JOIN embeddings e USING (ord) ORDER BY v.ord, v.chunk',
    );
    expect(blobs.map(({ stored }) => stored)).toEqual(Array(2 * texts.length).fill('int8'));
    expect(blobs.map(({ vector }) => Buffer.from(vector))).toEqual(
      [...full.map((vector) => toBlob(vector, 'int8')), ...full.map((vector) => toBlob(vector))].map((blob) =>
        Buffer.from(blob)
      ),
    );
    expect(await fixture.states()).toEqual([]);
  });

  it('are left to the caller if the thread fails, the model cannot be shared, or they are few', async () => {
    const fixture = await open();
    await fixture.add('long', LONG);
    await fixture.embeddings.settled();
    const { sql, environment: { clock } } = fixture;
    const publish = (): Promise<void> => Promise.reject(new Error('nothing is to be published'));
    const broken = { make: () => Promise.reject(new Error('it ended')) };
    const deps = { sql, codec, clock, settings, store: { precisionOf: () => 'int8' as const } };
    const { signal } = new AbortController();
    const left = async (thread: Pick<PassageThread, 'make'>, by: StaticProvider,
      bytes: number) => [...await embedElsewhere({ ...deps, thread }, by, [{ ord: 1, bytes }], publish, signal)];
    expect(await left(broken, provider, 10_000)).toEqual([]);
    expect(await left(broken, Object.assign(new StaticProvider(), { sharedModel: undefined }), 10_000)).toEqual([]);
    expect(await left(new PassageThread(), provider, 100)).toEqual([]);
  });

  it('are embedded again if their collection asks for another precision meanwhile', async () => {
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = new StaticProvider();
    const fixture = await open(() =>
      Object.assign(new StaticProvider(), {
        sharedModel: async () => {
          reached.resolve();
          await goOn.promise;
          return held.sharedModel(true);
        },
      })
    );
    await fixture.add('long', LONG);
    await reached.promise;
    await fixture.call('setCollectionConfig', { collection: 'blog', quantization: 'int4' });
    goOn.resolve();
    await fixture.embeddings.settled();
    const rows = await fixture.sql.all(
      'SELECT DISTINCT length(v.vector) AS bytes, e.stored FROM vectors v JOIN embeddings e USING (ord)',
    );
    expect(rows).toEqual([{ bytes: 4 * provider.dimensions, stored: 'int4' }]);
    expect(await fixture.states()).toEqual([]);
  });
});
