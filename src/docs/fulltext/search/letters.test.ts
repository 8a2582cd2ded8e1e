import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchFixture } from './test-fixture.ts';

describe('words of scripts without spaces (decision D-183)', () => {
  let fixture: SearchFixture;
  const keys = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  beforeAll(async () => {
    fixture = await SearchFixture.open('node:sqlite');
    const add = (key: string, lang: string, text: string) => fixture.add(key, text, {}, { lang });
    await add('securities', 'zh', '招商证券股份有限公司');
    await add('port', 'zh', '招商蛇口');
    await add('fund', 'zh', '招商基金管理有限公司');
    await add('company', 'zh', '公司');
    await add('server', 'ja', '# サーバーの設定\n\nイベントハンドラーが呼び出されます。');
    await add('old', 'ja', 'サーバ証明書を書いた。');
    await add('mixed', 'ja', 'Reactコンポーネントの状態を管理する');
    await add('school', 'th', 'โรงเรียนสอนภาษาไทย');
  });
  afterAll(() => fixture.close());

  it('are found wherever their letters stand', async () => {
    expect(await keys('公司')).toEqual(['company', 'fund', 'securities']);
    expect(await keys('招商')).toEqual(['fund', 'port', 'securities']);
    expect(await keys('ハンドラー')).toEqual(['server']);
    expect(await keys('有限公司')).toEqual(['fund', 'securities']);
    expect(await keys('เรียน')).toEqual(['school']);
    expect(await keys('商招')).toEqual([]);
  });

  it('are found in long queries, of which not every way to divide them is looked for', async () => {
    const long = '招商证券股份有限公司'.repeat(100);
    expect(await keys(long)).toEqual(['fund', 'port', 'securities']);
    expect(await keys(`"${long}"`)).toEqual([]);
  });

  it('come first where they are words of their own', async () => {
    expect((await fixture.keys('公司'))[0]).toBe('company');
  });

  it('count for all words, phrases and exclusions', async () => {
    expect(await keys('招商 公司', { matchingStrategy: 'all' })).toEqual(['fund', 'securities']);
    expect(await keys('"招商基金" "公司"')).toEqual(['fund']);
    expect(await keys('招商 -公司')).toEqual(['port']);
    expect(await keys('公司 AND 基金')).toEqual(['fund']);
    expect(await keys('"公司招商"')).toEqual([]);
    expect(await keys('"Reactコンポーネント"')).toEqual(['mixed']);
    expect(await keys('"Reactコンポ"')).toEqual(['mixed']);
    expect(await keys('"Reactポーネント"')).toEqual([]);
    expect(await keys('"商证 限公"~5')).toEqual([]);
  });

  it('are found with and without the long vowel at their end, and in other inflections', async () => {
    expect(await keys('サーバ')).toEqual(['old', 'server']);
    expect(await keys('サーバー')).toEqual(['old', 'server']);
    expect(await keys('呼び出す')).toEqual(['server']);
    expect(await keys('書く')).toEqual(['old']);
  });

  it('are named by matches, and marked in passages across the words of the text', async () => {
    const { results } = await fixture.find('招商 公司', { highlight: true, highlightTag: '<b>' });
    const found = results.find(({ document }) => document.key === 'fund')!;
    expect(found.matchedTerms).toEqual(['招商', '公司']);
    expect(found.highlights![0]!.fragment).toBe('<b>招商</b>基金管理<b>有限公司</b>');
    const phrase = await fixture.find('"招商基金"', { highlight: true, highlightTag: '<b>' });
    expect(phrase.results[0]!.highlights![0]!.fragment).toBe('<b>招商基金</b>管理有限公司');
  });
});

describe('traditional and simplified Chinese (decision D-198)', () => {
  let fixture: SearchFixture;
  const keys = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  beforeAll(async () => {
    fixture = await SearchFixture.open('node:sqlite');
    const add = (key: string, lang: string | undefined, text: string) =>
      fixture.add(key, text, {}, lang ? { lang } : {});
    await add('traditional', 'zh-Hant', '# 數據庫\n\n圖書館的數據庫有許多書。頭髮、發展與關係。');
    await add('simplified', 'zh-Hans', '# 数据库\n\n图书馆的数据库有许多书。头发、发展与关系。');
    await add('untagged', undefined, '臺灣的飛機飛得快');
    await add('japanese', 'ja', '機械の機能を使う');
    await add('desk', 'ja', '机の上に本がある');
  });
  afterAll(() => fixture.close());

  it('find each other, as words, in parts of words, phrases, patterns and exclusions', async () => {
    for (const query of ['數據庫', '数据库', '数据', '數據', '圖書', '书馆', '書', '书', '頭髮', '头发', '发展', '关系',
      '"图书馆的数据库"', '"圖書館的數據"', '数据*'])
      expect(await keys(query), query).toEqual(['simplified', 'traditional']);
    for (const query of ['台湾', '臺灣', '台灣', '飞机', '飛機'])
      expect(await keys(query), query).toEqual(['untagged']);
    expect(await keys('書 -数据库')).toEqual([]);
    expect(await keys('数据库', { disableStem: true })).toEqual(['simplified', 'traditional']);
  });

  it('are as they are written where one character has become that of several words', async () => {
    expect(await keys('机')).toEqual(['desk']);
    expect(await keys('機')).toEqual(['japanese', 'untagged']);
    expect(await keys('机能')).toEqual(['japanese']);
  });

  it('are marked as they are written', async () => {
    const { results } = await fixture.find('图书馆', { highlight: true, highlightTag: '<b>' });
    const fragments = results.map(({ highlights }) => highlights![0]!.fragment).join();
    expect(fragments).toContain('<b>圖書館</b>的數據庫');
    expect(fragments).toContain('<b>图书馆</b>的数据库');
  });
});

describe('Korean words (decision D-184)', () => {
  let fixture: SearchFixture;
  const keys = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  beforeAll(async () => {
    fixture = await SearchFixture.open('node:sqlite');
    await fixture.add('seoul', '# 서울은 한국의 수도이다\n\n서울에서 살았다.', {}, { lang: 'ko' });
    await fixture.add('school', '# 학교에 갔다\n\n대학교를 다닌다.', {}, { lang: 'en' });
    await fixture.add('state', '# 상태관리를 위한 훅\n\n컴포넌트의 props를 봅니다.', {}, { lang: 'ko' });
    await fixture.add('apart', '상태 관리에 관하여', {}, { lang: 'ko' });
  });
  afterAll(() => fixture.close());

  it('are found with and without particles and endings, in documents of any language', async () => {
    for (const query of ['서울', '서울을', '서울까지', '수도', '"한국 수도"'])
      expect(await keys(query)).toEqual(['seoul']);
    for (const query of ['학교', '학교는', '대학교']) expect(await keys(query)).toEqual(['school']);
    expect(await keys('컴포넌트')).toEqual(['state']);
    expect(await keys('props')).toEqual(['state']);
    expect(await keys('서울 -한국')).toEqual([]);
  });

  it('are found in compounds, and compounds as separate words', async () => {
    expect(await keys('상태 관리', { matchingStrategy: 'all' })).toEqual(['apart', 'state']);
    expect(await keys('상태관리')).toEqual(['apart', 'state']);
    expect(await keys('"상태 관리"')).toEqual(['apart', 'state']);
    expect(await keys('"관리 상태"~3')).toEqual(['apart', 'state']);
  });

  it('are named by matches, and marked in passages', async () => {
    const { results } = await fixture.find('상태관리', { highlight: true, highlightTag: '<b>' });
    const passages = Object.fromEntries(
      results.map(({ document, highlights }) => [document.key, highlights![0]!.fragment]),
    );
    expect(passages['apart']).toBe('<b>상태 관리에</b> 관하여');
    expect(passages['state']).toContain('<b>상태관리를</b>');
  });
});
