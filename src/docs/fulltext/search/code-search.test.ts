import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeForms, tokenizeCode } from '../../../text/code/index.ts';
import { analyzerFor } from '../../../text/languages/index.ts';
import { formsOf } from '../../../text/tokenize.ts';
import { SearchFixture } from './test-fixture.ts';

// Documents of source code are found by their own words (contract section 2, "Code documents"): a query is read for
// prose and for code.
describe('searching source code', () => {
  let fixture: SearchFixture;

  beforeEach(async () => {
    fixture = await SearchFixture.open('node:sqlite');
  });
  afterEach(() => fixture.close());

  const sorted = async (query: string, more: object = {}) => (await fixture.keys(query, more)).sort();

  describe.each(['tfidf', 'bm25', 'bm25f', 'pmisparse'])('for identifiers, by %s', (algorithm) => {
    beforeEach(async () => {
      await fixture.add('whole.js', `const max_retry_count = 3;\n${'fill(other, things);\n'.repeat(20)}`);
      await fixture.add('parts.js', 'const max = 1; retry(max); count(max); retry(count, max, retry, count);');
      await fixture.add('prose', 'Set max_retry_count to limit how often a job runs.');
      await fixture.add('other.js', 'unrelated()');
      await fixture.add('style.css', '.btn-primary { color: red }\n.btn { margin: 0 }\n.primary { margin: 1px }');
    });

    it.each(['"max_retry_count"', '+max_retry_count', '(max_retry_count AND const) OR "max_retry_count"',
      'max_retry_count*', 'max_retry_c*t'])('finds the whole by %s', async (query) => {
        const found = await sorted(query, { algorithm });
        expect(found).toContain('whole.js');
        expect(found).not.toContain('parts.js');
      });

    it('ranks documents with the whole above those with its parts', async () => {
      const code = (await fixture.keys('max_retry_count', { algorithm })).filter((key) => key.endsWith('.js'));
      expect(code).toEqual(['whole.js', 'parts.js']);
      expect(await fixture.keys('btn-primary', { algorithm })).toEqual(['style.css']);
      expect(await sorted('"btn-primary"', { algorithm })).toEqual(['style.css']);
      // In prose, an identifier is a name, which has other spellings.
      expect(await sorted('maxRetryCount', { algorithm })).toEqual(['parts.js', 'prose', 'whole.js']);
    });

    it('takes them away as wholes', async () => {
      expect(await sorted('const -max_retry_count', { algorithm })).toEqual(['parts.js']);
    });
  });

  it('names the identifier and those of its parts that a document has', async () => {
    await fixture.add('a.js', 'let load_user = 1');
    await fixture.add('b.js', 'let user = 1');
    const { results } = await fixture.find('load_user');
    expect(Object.fromEntries(results.map(({ document, matchedTerms }) => [document.key, matchedTerms]))).toEqual({
      'a.js': ['load_user', 'load', 'user'],
      'b.js': ['user'],
    });
  });

  it('finds the words of metadata as it finds those of the body', async () => {
    await fixture.add('a.js', 'x', { title: ['The load_user of wi-fi'] });
    for (const query of ['"load_user"', '+load_user', '"wi-fi"', '"the load_user"'])
      expect(await fixture.keys(query), query).toEqual(['a.js']);
  });

  it('finds what scripts without spaces have in comments', async () => {
    await fixture.add('a.js', '// 全文検索の例\nlet 変数_a = 1', { title: ['全文検索'] });
    for (const query of ['検索', '"全文検索"', '+変数_a']) expect(await fixture.keys(query), query).toEqual(['a.js']);
  });

  it('keeps stop words and single characters of a query for code alone', async () => {
    await fixture.add('a.js', 'for (let i = 0; if (the) i++)');
    await fixture.add('prose', 'If the cat, i think');
    for (const query of ['i', 'if', 'the', '+if +let', '"if the"'])
      expect(await fixture.keys(query, { mode: 'auto' }), query).toContain('a.js');
    for (const query of ['i', 'if', 'the']) expect(await sorted(`${query} let`), query).toEqual(['a.js']);
    expect(await sorted('if cat')).toEqual(['a.js', 'prose']);
    expect(await fixture.keys('+the +cat')).toEqual(['prose']);
    expect(await fixture.keys('-the cat')).toEqual(['prose']);
  });

  it('does not rank code above prose for words that are frequent in both', async () => {
    await fixture.add('a.js', 'if (the) { of() }');
    await fixture.add('b.js', 'while (x) {}');
    for (let i = 0; i < 20; i++)
      await fixture.add(`prose${i}`, `the if of the ${i === 7 ? 'retry the request' : 'thing'}`);
    expect((await fixture.keys('if the of request', { algorithm: 'bm25' }))[0]).toBe('prose7');
  });

  it('never matches code by a stem', async () => {
    await fixture.add('a.js', 'running()');
    await fixture.add('b.js', 'runs()');
    await fixture.add('prose', 'It was running.');
    expect(await sorted('runs')).toEqual(['b.js', 'prose']);
    expect(await sorted('+runs')).toEqual(['b.js', 'prose']);
    expect(await sorted('"runs"')).toEqual(['b.js', 'prose']);
    expect(await sorted('running -runs')).toEqual(['a.js']);
    const { results } = await fixture.find('runs', { highlight: true, disableSynonyms: true });
    expect(
      results.map(({ document, highlights }) => [document.key, highlights!.map(({ fragment }) => fragment)]).sort(),
    ).toEqual([['b.js', ['<mark>runs</mark>()']], ['prose', ['It was <mark>running</mark>.']]]);
  });

  it('follows a document that becomes code and ceases to be', async () => {
    await fixture.add('doc', 'running max_retry', { kind: ['code'] });
    expect([await fixture.keys('runs'), await fixture.keys('"max_retry"')]).toEqual([[], ['doc']]);
    await fixture.add('doc', 'running max_retry');
    expect([await fixture.keys('runs'), await fixture.keys('"max_retry"')]).toEqual([['doc'], ['doc']]);
  });

  it('agrees with a scan of all documents, prose by its stems and code by its tokens', async () => {
    const words = ['load_user', 'loadUser', 'load', 'users', 'user', 'max-retry', 'max_retry', 'retry', 'i', 'if',
      'running', 'runs', 'getHTTPServer2', 'server'];
    const texts = Array.from({ length: 60 },
      (_, n) =>
        Array.from({ length: 1 + (n % 4) }, (__, k) => words[(n * 7 + k * 5 + ((n * k) % 3)) % words.length]!).join(
          ' ',
        ));
    await fixture.call('addDocuments', {
      collection: 'c',
      documents: texts.map((contentMd, n) => ({ key: `${n}${n % 2 === 0 ? '.js' : ''}`, lang: 'en', contentMd })),
    });
    const { term } = analyzerFor('en', { stemming: true, stopWords: 'default' });
    const inOrder = (given: readonly (string | undefined)[], wanted: readonly (string | undefined)[]) =>
      given.some((_, at) => wanted.every((each, i) => given[at + i] === each));
    const matches = (query: string, whole: boolean, quoted: boolean, n: number): boolean => {
      const own = n % 2 === 0
        ? tokenizeCode(texts[n]!).map(({ form }) => form)
        : formsOf(texts[n]!).map((form) => term(form) ?? form);
      if (n % 2 === 0)
        return whole ? own.includes(codeForms(query)[0]!) : codeForms(query).some((form) => own.includes(form));
      const meaningful = formsOf(query).map(term).filter((each) => each !== undefined);
      // A query of stop words only searches for them.
      const wanted = meaningful.length > 0 ? meaningful : formsOf(query);
      const joined = term(formsOf(query).join(''));
      const divided = formsOf(query.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')).map((form) => term(form) ?? form);
      if (!quoted && (own.includes(joined ?? '') || (divided.length > 1 && inOrder(own, divided)))) return true;
      return wanted.length > 0 && (whole ? inOrder(own, wanted) : wanted.some((each) => own.includes(each)));
    };
    for (const query of words) {
      for (const [asked, whole] of [[query, false], [`"${query}"`, true], [`+${query}`, true]] as const) {
        const expected = texts.keys().filter((n) => matches(query, whole, asked.startsWith('"'), n)).map((n) =>
          `${n}${n % 2 === 0 ? '.js' : ''}`
        ).toArray().sort();
        expect(await sorted(asked, { limit: 100 }), asked).toEqual(expected);
      }
    }
  });

  it('completes identifiers with their separators', async () => {
    await fixture.add('a.py', 'def load_user(): load_users()');
    await fixture.add('b.css', '.btn-primary {}');
    await fixture.add('c.js', 'loadUser()');
    const complete = async (q: string) =>
      (await fixture.call('autocomplete', { collection: 'c', q })).items.map(({ term }) => term);
    expect(await complete('load_u')).toEqual(['load_user', 'load_users', 'loaduser']);
    expect(await complete('btn-p')).toEqual(['btn-primary']);
    expect(await complete('BTN-')).toEqual(['btn', 'btn-primary']);
    expect(await complete('-_')).toEqual([]);
  });
});
