import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbeddingProvider } from '../../../embedding/index.ts';
import { Meaning, VectorFixture } from '../test-fixture.ts';

/** The model that comes with the package. */
class Included extends Meaning {
  override provider() {
    return createEmbeddingProvider({ provider: 'builtin' });
  }
}

const PAGES = {
  en: {
    abort: '# Cancelling a request\n\nA request that is still running is cancelled with an abort controller.',
    cookies: '# Cookies\n\nA cookie is a small text that a server stores in the browser of a visitor.',
    grid: '# Grid layout\n\nA grid divides a page into rows and columns in which elements are placed.',
  },
  ja: {
    abort: '# リクエストのキャンセル\n\n実行中のリクエストは、中止コントローラーでキャンセルします。',
    cookies: '# クッキー\n\nクッキーは、サーバーが訪問者のブラウザーに保存する小さなテキストです。',
    grid: '# グリッドレイアウト\n\nグリッドはページを行と列に分け、そこに要素を配置します。',
  },
  de: {
    abort: '# Eine Anfrage abbrechen\n\nEine laufende Anfrage wird mit einem Abort-Controller abgebrochen.',
    cookies: '# Cookies\n\nEin Cookie ist ein kleiner Text, den ein Server im Browser eines Besuchers speichert.',
    grid: '# Rasterlayout\n\nEin Raster teilt eine Seite in Zeilen und Spalten, in denen Elemente stehen.',
  },
} as const;

let fixture: VectorFixture;
beforeAll(async () => {
  fixture = await VectorFixture.open({
    meaning: new Included(),
    embedding: { provider: 'builtin', chunkSize: undefined },
  });
  for (const [lang, pages] of Object.entries(PAGES)) {
    for (const [key, text] of Object.entries(pages)) await fixture.add(`${key}-${lang}`, text, { lang });
  }
});
afterAll(() => fixture.close());

const like = async (key: string, more: object = {}) =>
  (await fixture.call('findSimilar', { collection: 'c', key, topK: 10, ...more })).results.map((
    { document, score },
  ) => ({ key: document.key, score }));

describe('documents like one in another language (decision D-202)', () => {
  it.each([['en', 'ja'], ['ja', 'en'], ['de', 'ja'], ['ja', 'de'], ['en', 'de']])('are found from %s in %s',
    async (from, to) => {
      for (const page of ['abort', 'cookies', 'grid']) {
        const [first, second] = await like(`${page}-${from}`, { langs: [to] });
        expect(first!.key).toBe(`${page}-${to}`);
        expect(first!.score, 'well above another subject').toBeGreaterThan(second!.score + 0.1);
      }
    });

  it('come before other pages in the same language, and pass a threshold that those do not', async () => {
    for (const page of ['abort', 'cookies', 'grid']) {
      const twins = (await like(`${page}-en`, { topK: 2 })).map(({ key }) => key).toSorted();
      expect(twins).toEqual([`${page}-de`, `${page}-ja`]);
      const above = (await like(`${page}-en`, { threshold: 0.45 })).map(({ key }) => key);
      expect(above.every((key) => key.startsWith(page)), page).toBe(true);
    }
  });
});
