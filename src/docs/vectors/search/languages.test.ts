import { afterEach, beforeEach, expect, it } from 'vitest';
import { StaticProvider } from '../../../embedding/builtin/static-provider.ts';
import { Meaning, VectorFixture } from '../test-fixture.ts';

class Static extends Meaning {
  override provider(): StaticProvider {
    return new StaticProvider();
  }
}

/** Pages that say the same in three languages. */
const PAGES = {
  cancel: {
    en: 'You can cancel a request that is in progress with an abort signal.',
    ja: '中断シグナルを使うと、進行中のリクエストをキャンセルできます。',
    de: 'Mit einem Abbruchsignal kann eine laufende Anfrage abgebrochen werden.',
  },
  bread: {
    en: 'Bread is baked from flour, water, salt and yeast in a hot oven.',
    ja: 'パンは小麦粉、水、塩、酵母から作られ、熱いオーブンで焼かれます。',
    de: 'Brot wird aus Mehl, Wasser, Salz und Hefe im heißen Ofen gebacken.',
  },
  rain: {
    en: 'It will rain in the mountains tomorrow, and the wind is strong.',
    ja: '明日は山で雨が降り、風が強くなるでしょう。',
    de: 'Morgen regnet es in den Bergen, und der Wind ist stark.',
  },
} as const;
type Page = keyof typeof PAGES;
const QUESTIONS: Readonly<Record<Page, readonly string[]>> = {
  cancel: ['how to cancel a request', 'リクエストをキャンセルする方法', 'Anfrage abbrechen'],
  bread: ['what is bread made of', 'オーブンでパンを焼く', 'mit Mehl und Hefe backen'],
  rain: ['will it rain tomorrow', '明日は雨ですか', 'regnet es morgen'],
};

let fixture: VectorFixture;
beforeEach(async () => {
  fixture = await VectorFixture.open({ meaning: new Static() });
});
afterEach(() => fixture.close());

async function write(lang: keyof (typeof PAGES)[Page], collection = 'c'): Promise<void> {
  for (const key of Object.keys(PAGES) as Page[])
    await fixture.call('addDocument', { collection, key: `${key}-${lang}`, lang, contentMd: PAGES[key][lang] });
}

it('a question finds the page that answers it, whatever their languages', async () => {
  const languages = ['en', 'ja', 'de'] as const;
  for (const lang of languages) await write(lang, `pages-${lang}`);
  await fixture.caughtUp();
  for (const lang of languages) {
    for (const [page, questions] of Object.entries(QUESTIONS)) {
      for (const query of questions) {
        const answer = await fixture.call('searchVectors', { collection: `pages-${lang}`, query, topK: 1 });
        expect(answer.results.map(({ document: { key } }) => key), query).toEqual([`${page}-${lang}`]);
        expect(answer.model).toBe('static-en-256');
        expect(answer).not.toHaveProperty('warnings');
      }
    }
  }
});

it('a question in a script that the model does not know is compared by its spelling, and the answer says so', async () => {
  await write('en');
  await fixture.call('addDocument', { collection: 'c', key: 'tamil', lang: 'ta', contentMd: 'தமிழ் மொழி பழமையானது' });
  await fixture.call('addDocument', {
    collection: 'c',
    key: 'thai',
    lang: 'th',
    contentMd: 'ขนมปังทำจากแป้ง น้ำ เกลือ และยีสต์',
  });
  await fixture.call('addDocument', {
    collection: 'c',
    key: 'korean',
    lang: 'ko',
    contentMd: '빵은 밀가루로 만듭니다.',
  });
  await fixture.caughtUp();
  expect((await fixture.find('ทำขนมปัง', { topK: 1 })).results[0]?.document.key).toBe('thai');
  const answer = await fixture.find('தமிழ் மொழி', { topK: 1 });
  expect(answer.results.map(({ document: { key } }) => key)).toEqual(['tamil']);
  expect(answer).toMatchObject({
    warnings: ['the model static-en-256 does not know the script of the query: it was compared by its spelling'],
  });
});

it('documents that were embedded as English ones are embedded again by a reindexing, and no English ones', async () => {
  await write('en');
  await write('ja');
  await fixture.caughtUp();
  await fixture.sql.transaction((tx) => tx.run("UPDATE embeddings SET chunking = replace(chunking, ' pieces', '')"));
  expect(await fixture.call('reindexVectors', { collection: 'c' })).toMatchObject({ embedded: 3, skipped: 3 });
});
