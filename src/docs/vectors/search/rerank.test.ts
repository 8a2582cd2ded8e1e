import { afterEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { type FixtureOptions, Meaning, VectorFixture } from '../test-fixture.ts';

const fixtures: VectorFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.close();
});
async function open(options: FixtureOptions = {}): Promise<VectorFixture> {
  const fixture = await VectorFixture.open(options);
  fixtures.push(fixture);
  return fixture;
}

/** An encoder that knows that felines are cats. */
class Encoder extends Meaning {
  constructor(model = 'encoder') {
    super(model, 48);
  }

  override vectorOf(text: string): number[] {
    return super.vectorOf(text.replaceAll('felines', 'cats'));
  }
}

class EnglishEncoder extends Encoder {
  override provider() {
    return { ...super.provider(), isEnglishOnly: true };
  }
}

/** The words of the query are those of `words`, its vector is that of `meaning`. */
async function withDocuments(options: FixtureOptions): Promise<VectorFixture> {
  const fixture = await open(options);
  await fixture.add('words', 'felines bark loudly');
  await fixture.add('meaning', 'cats sleep');
  await fixture.add('other', 'the market fell');
  return fixture;
}
const RERANK = { rerank: 'encoder' } as const;

describe('a search that is reordered by the encoder (decision D-148)', () => {
  it('has the best results in its order, with the scores of the search, and makes each vector once', async () => {
    const encoder = new Encoder();
    const fixture = await withDocuments({ encoder });
    const plain = await fixture.find('felines sleep');
    expect(plain).not.toHaveProperty('reranked');
    const found = await fixture.find('felines sleep', RERANK);
    expect(found.results[0]!.document.key).toBe('meaning');
    expect(found.reranked).toBe(found.results.length);
    const scores = (results: typeof found.results) =>
      Object.fromEntries(results.map(({ document, score }) => [document.key, score]));
    expect(scores(found.results)).toEqual(scores(plain.results));
    expect(found.results.map(({ rank }) => rank)).toEqual(found.results.map((_, i) => i + 1));
    const made = encoder.documents.length;
    expect(made).toBe(found.results.length);
    expect((await fixture.find('felines sleep', { ...RERANK, topK: 1, offset: 0 })).results[0]!.document.key).toBe(
      'meaning',
    );
    await fixture.find('cats', { ...RERANK, threshold: 0 });
    expect(new Set(encoder.documents).size).toBe(encoder.documents.length);
    expect(encoder.queries).toEqual(['felines sleep', 'cats']);
    expect((await fixture.call('getVectorStats', {})).collections['c']).toMatchObject({
      encoded_chunks: encoder.documents.length,
    });
  });

  it('is refused by name without an encoder or a text, and left as it is where the server wishes it alone', async () => {
    const fixture = await withDocuments({ embedding: { rerank: 'encoder' } });
    expect(await fixture.find('felines sleep')).not.toHaveProperty('reranked');
    await expect(fixture.find('felines', RERANK)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('no encoder is installed') as string,
    });
    expect((await fixture.call('getVectorStats', {})).encoder).toBeUndefined();
    const installed = await withDocuments({ encoder: new Encoder() });
    await expect(
      installed.call('searchVectors', { collection: 'c', queryVector: fixture.meaning.vectorOf('cats'), ...RERANK }),
    ).rejects.toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('needs query') as string });
  });

  it('is what the server does unless a request says otherwise', async () => {
    const fixture = await withDocuments({ encoder: new Encoder(), embedding: { rerank: 'encoder' } });
    expect((await fixture.find('felines sleep')).results[0]!.document.key).toBe('meaning');
    expect(await fixture.find('felines sleep', { rerank: 'none' })).not.toHaveProperty('reranked');
    expect(await fixture.find('felines sleep', { mmr: true })).not.toHaveProperty('reranked');
  });

  it('concerns only languages that the encoder knows (decision D-211)', async () => {
    const encoder = new EnglishEncoder();
    const fixture = await withDocuments({ encoder });
    const english = await fixture.find('felines sleep', RERANK);
    expect(english.results[0]!.document.key).toBe('meaning');
    expect(english).not.toHaveProperty('warnings');
    await fixture.add('deutsch', 'felines sleep schlafen', { lang: 'de' });
    const mixed = await fixture.find('felines sleep', RERANK);
    expect(mixed.warnings).toEqual([
      'rerank: the encoder knows English only: 1 result in another language kept its place',
    ]);
    expect(mixed.reranked).toBe(mixed.results.length - 1);
    const place = (results: typeof mixed.results) => results.findIndex(({ document: { key } }) => key === 'deutsch');
    expect(place(mixed.results)).toBe(place((await fixture.find('felines sleep')).results));
    expect(encoder.documents.join(' ')).not.toContain('schlafen');

    const german = 'Wie lange schlafen die Katzen in der Nacht?';
    const foreign = await fixture.find(german, RERANK);
    expect(foreign).toMatchObject({
      reranked: 0,
      warnings: [
        'rerank: the encoder knows English only, and the query seems to be in another language: nothing was reranked',
      ],
    });
    expect(encoder.queries).not.toContain(german);
    expect(await fixture.find(german, { rerank: 'none' })).not.toHaveProperty('warnings');
  });

  it('waits no longer than its budget, and is reordered by what is there', async () => {
    const encoder = new Encoder();
    const timer = new ManualTimer();
    const fixture = await withDocuments({ encoder, timer });
    await fixture.find('felines sleep', RERANK);
    await fixture.add('late', 'felines sleep long');
    const held = Promise.withResolvers<void>();
    encoder.held = held.promise;
    const before = encoder.queries.length;
    // its own vector is remembered, but that of the new document is missing
    const late = fixture.find('felines sleep', RERANK);
    await expect.poll(() => encoder.documents.includes('felines sleep long')).toBe(true);
    await timer.elapse();
    const { results, reranked } = await late;
    expect([reranked, results.length]).toEqual([results.length - 1, results.length]);
    const unknown = fixture.find('sleep', RERANK);
    await expect.poll(() => encoder.queries.length).toBe(before + 1);
    await timer.elapse();
    expect((await unknown).reranked).toBe(0);
    held.resolve();
  });

  it('goes on when the encoder fails', async () => {
    const encoder = new Encoder();
    const fixture = await withDocuments({ encoder });
    encoder.failure = () => new Error('broken');
    expect((await fixture.find('felines sleep', RERANK)).reranked).toBe(0);
    expect(fixture.warnings).toContain('the encoder failed; a search was not reordered by it');
  });
});

describe('vectors of the encoder', () => {
  it('are kept over a crash, and made again only for what was written since', async () => {
    const encoder = new Encoder();
    const fixture = await withDocuments({ encoder });
    await fixture.find('felines sleep', RERANK);
    const made = encoder.documents.length;
    const later = await fixture.crashed({ encoder });
    fixtures.push(later);
    await later.find('felines sleep', RERANK);
    expect(encoder.documents).toHaveLength(made);
    await later.add('meaning', 'cats sleep soundly');
    await later.find('felines sleep', RERANK);
    expect(encoder.documents.slice(made)).toEqual(['cats sleep soundly']);
  });

  it('are filled in while the server is idle, each once, also when it ends in between', async () => {
    const fixture = await withDocuments({});
    await fixture.add('long',
      Array.from({ length: 30 }, (_, i) => `sentence number ${i} of a long text.`).join('\n\n'));
    const encoder = new Encoder();
    const chunks = (await fixture.call('getVectorStats', {})).collections['c']!.total_chunks;
    const held = Promise.withResolvers<void>();
    const first = await fixture.crashed({ encoder, embedding: { rerank: 'encoder' } });
    fixtures.push(first);
    const encoded = async (of: VectorFixture) =>
      (await of.call('getVectorStats', {})).collections['c']!.encoded_chunks!;
    await expect.poll(() => encoded(first)).toBeGreaterThan(0);
    encoder.held = held.promise;
    const kept = await encoded(first);
    const second = await first.crashed({ encoder: new Encoder(), embedding: { rerank: 'encoder' } });
    fixtures.push(second);
    await expect.poll(() => encoded(second)).toBe(chunks);
    expect(kept).toBeGreaterThan(0);
    held.resolve();
  });

  it('of another model are made again while the server is idle', async () => {
    const fixture = await withDocuments({ encoder: new Encoder('former') });
    await fixture.find('felines sleep', RERANK);
    const { total_chunks: chunks, encoded_chunks: before } = (await fixture.call('getVectorStats', {}))
      .collections['c']!;
    expect(before).toBeGreaterThan(0);
    const encoder = new Encoder();
    const held = Promise.withResolvers<void>();
    encoder.held = held.promise;
    const later = await fixture.crashed({ encoder, embedding: { rerank: 'encoder' } });
    fixtures.push(later);
    const encoded = async () => (await later.call('getVectorStats', {})).collections['c']!.encoded_chunks;
    expect(await encoded()).toBe(0);
    held.resolve();
    await expect.poll(encoded).toBe(chunks);
    expect(encoder.documents).toHaveLength(chunks);
  });
});
