import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeService, startFakeService } from '../../testkit/commands/fake-service.ts';
import { runQuire } from '../../testkit/commands/run-command.ts';
import { formatMoment, textWidth } from './shared/output.ts';

const DOCUMENTS = [{
  id: 'c|a|en',
  key: 'a',
  lang: 'en',
  meta: { title: ['First'], tags: ['x', 'y'] },
  updatedAt: 1_770_000_000,
}, {
  id: 'c|b|en',
  key: 'b',
  lang: 'en',
  meta: { title: ['Second \u001b[31mpage'], category: ['guide'] },
  updatedAt: 1_770_000_060,
}];

let service: FakeService;
let answers: Record<string, FakeAnswer>;

beforeEach(async () => {
  answers = { '/v1/search': { body: DOCUMENTS, headers: { 'X-Total-Count': '1234' } } };
  service = await startFakeService(({ path }) => answers[path] ?? { status: 404, body: { error: 'not found' } });
});

afterEach(() => service.close());

const searching = (options: string[], terminal?: number | 'closed') =>
  runQuire(['search', '--url', service.url, ...options],
    terminal === undefined ? {} : terminal === 'closed' ? { closed: true } : { columns: terminal });

describe('quire search', () => {
  it('lists key, title, last change and tags, and the total of X-Total-Count', async () => {
    const run = await searching(['-c', 'c']);
    expect(run).toMatchObject({ exitCode: 0, stderr: '1 to 2 of 1,234 documents\n' });
    expect(run.stdout.split('\n')).toEqual(['key  title            updated           tags',
      '───  ───────────────  ────────────────  ─────', `a    First            ${formatMoment(1_770_000_000)}  x, y`,
      `b    Second [31mpage  ${formatMoment(1_770_000_060)}  guide`, '']);
  });

  it('asks for nothing but what it shows', async () => {
    await searching(['-c', 'c']);
    expect(service.requests[0]!.body).toEqual({
      collection: 'c',
      limit: 50,
      offset: 0,
      fields: ['title', 'updatedAt', 'tags', 'category'],
    });
  });

  it('passes filter, order and page on', async () => {
    await searching(['-c', 'c', '--filter', 'tags=x', '--where', 'year >= 2020', '--sort', 'updatedAt', '--asc',
      '--limit', '5', '--offset', '10', '--fields', 'title,sidebar']);
    expect(service.requests[0]!.body).toEqual({
      collection: 'c',
      filterMeta: { tags: ['x'] },
      filter: 'year >= 2020',
      sort: 'updatedAt',
      asc: true,
      limit: 5,
      offset: 10,
      fields: ['title', 'sidebar'],
    });
  });

  it('shows the fields that are asked for', async () => {
    const run = await searching(['-c', 'c', '--fields', 'title,constructor,category']);
    expect(run.stdout.split('\n')[0]).toMatch(/^key +title +constructor +category$/);
    expect(run.stdout).toMatch(/^b +Second \[31mpage +guide$/m);
  });

  it('fits the terminal', async () => {
    answers['/v1/search'] = {
      body: [{ ...DOCUMENTS[0], key: 'k'.repeat(200), meta: { title: ['長い題'.repeat(40)] } }],
    };
    const run = await searching(['-c', 'c'], 70);
    for (const line of run.stdout.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(70);
  });

  it('shows the language when there are several', async () => {
    answers['/v1/search'] = { body: [DOCUMENTS[0], { ...DOCUMENTS[1], lang: 'de' }] };
    expect((await searching(['-c', 'c'])).stdout).toMatch(/^key +lang +title/);
  });

  it('writes whole documents as JSON', async () => {
    const run = await searching(['-c', 'c', '--json']);
    expect(JSON.parse(run.stdout)).toEqual(DOCUMENTS);
    expect(service.requests[0]!.body).toEqual({ collection: 'c', limit: 50, offset: 0 });
  });

  it.each([[0, 0, 'no documents match'], [0, 7, '7 documents match; none listed from 10 on'], [2, 2, '2 documents']])(
    'says how many there are (%i of %i)',
    async (listed, total, text) => {
      answers['/v1/search'] = { body: DOCUMENTS.slice(0, listed), headers: { 'X-Total-Count': String(total) } };
      expect((await searching(['-c', 'c', '--offset', '10'])).stderr).toBe(`${text}\n`);
    },
  );

  it('ends quietly when nobody reads the table any more', async () => {
    const run = await searching(['-c', 'c'], 'closed');
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('takes the only collection, and asks when there are several', async () => {
    const stats = (...names: string[]): FakeAnswer => ({ body: { collections: names.map((name) => ({ name })) } });
    answers['/v1/stats'] = stats('only');
    expect((await searching([])).exitCode).toBe(0);
    expect(service.requests.at(-1)!.body).toMatchObject({ collection: 'only' });
    answers['/v1/stats'] = stats('one', 'two');
    expect(await searching([])).toMatchObject({
      exitCode: 1,
      stderr: 'quire search: which collection? give one with --collection: one, two\n',
    });
    answers['/v1/stats'] = stats();
    expect((await searching([])).stderr).toContain('no collection yet');
  });
});

describe('quire search WORDS', () => {
  const RESULTS = [{
    document: { ...DOCUMENTS[0], meta: { title: ['Centre \u001b[31mthings'] } },
    score: 2,
    matchedTerms: ['div'],
    highlights: [{ field: 'meta.title', fragment: '\ue000Centre\ue000 things' }, {
      field: 'content',
      fragment: '…to \ue000center\ue000 a\n\ue000div\ue000 \u001b[2Jin its parent…',
    }],
  }, { document: { id: 'c|b|de', key: 'b', lang: 'de' }, score: 1, matchedTerms: ['div'], highlights: [] }];
  beforeEach(() => {
    answers['/v1/fts'] = { body: { results: RESULTS, total: 12 } };
  });

  it('lists what is found, best first, with passages around the matches', async () => {
    const run = await searching(['-c', 'c', 'center', 'a', 'div']);
    expect(run).toMatchObject({ exitCode: 0, stderr: '1 to 2 of 12 documents\n' });
    expect(run.stdout).toBe('1. Centre [31mthings  a (en)\n   …to center a div [2Jin its parent…\n\n2. b (de)\n\n');
  });

  it('writes matches and titles bold in a terminal', async () => {
    const { stdout } = await searching(['-c', 'c', 'center a div'], 80);
    expect(stdout).toContain('1. \u001b[1mCentre [31mthings\u001b[22m  a (en)');
    expect(stdout).toContain('…to \u001b[1mcenter\u001b[22m a \u001b[1mdiv\u001b[22m [2Jin its parent…');
  });

  it('asks for ten with highlights, or for what it is told', async () => {
    await searching(['-c', 'c', 'center', 'a', 'div']);
    await searching(['-c', 'c', '"a div"', '--filter', 'tags=x', '--limit', '3', '--offset', '2', '--lang', 'de',
      '--fields', 'title,tags']);
    await searching(['-c', 'c', 'asynch functon', '--where', 'tags = x', '--fuzzy', 'auto', '--match', 'most']);
    await searching(['-c', 'c', 'asynch', '--fuzzy', '1']);
    const common = { collection: 'c', highlight: true, highlightTag: '\ue000', maxHighlights: 2 };
    expect(service.requests.map(({ body }) => body)).toEqual([{
      ...common,
      query: 'center a div',
      limit: 10,
      offset: 0,
      fuzzy: 'auto',
      prefix: 'last',
      fields: ['title'],
    }, {
      ...common,
      query: '"a div"',
      limit: 3,
      offset: 2,
      fuzzy: 'auto',
      prefix: 'last',
      filterMeta: { tags: ['x'] },
      lang: 'de',
      fields: ['title', 'tags'],
    }, {
      ...common,
      query: 'asynch functon',
      limit: 10,
      offset: 0,
      filter: 'tags = x',
      fuzzy: 'auto',
      matchingStrategy: 'most',
      fields: ['title'],
    }, { ...common, query: 'asynch', limit: 10, offset: 0, fuzzy: 1, fields: ['title'] }]);
  });

  it('writes results as JSON, with the tags of the service', async () => {
    const run = await searching(['-c', 'c', '--json', 'div'], 80);
    expect(JSON.parse(run.stdout)).toEqual(RESULTS);
    expect(service.requests[0]!.body).toEqual({
      collection: 'c',
      query: 'div',
      limit: 10,
      offset: 0,
      highlight: true,
      fuzzy: 'auto',
      prefix: 'last',
    });
  });

  it('says when there is nothing, which is no failure', async () => {
    answers['/v1/fts'] = { body: { results: [], total: 0 } };
    expect(await searching(['-c', 'c', 'asynch'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'no documents match\n',
    });
  });

  it('names the spellings that would have found something', async () => {
    answers['/v1/fts'] = {
      body: { results: [], total: 0, suggestions: ['async function', 'async \u001b[31mfunctions'] },
    };
    expect((await searching(['-c', 'c', 'asynch functon'])).stderr).toBe(
      'no documents match\ndid you mean: async function, async [31mfunctions\n',
    );
    expect((await searching(['-c', 'c', '--quiet', 'asynch functon'])).stderr).toBe('');
  });

  it.each([[['div', '--sort', 'key'], 'words are listed best first: leave out --sort and --asc'], [['div', '--limit',
    '0'], '--limit 0: by words, it is 1 to 10000'], [['--fuzzy', 'auto'],
    '--fuzzy and --match are for words, and there are none'], [['--lang', 'de'],
    '--lang is the language of words, and there are none']])('refuses %j', async (options, message) => {
      expect(await searching(['-c', 'c', ...options])).toMatchObject({
        exitCode: 1,
        stderr: `quire search: ${message}\n`,
      });
      expect(service.requests).toEqual([]);
    });

  it('reports what the service refuses', async () => {
    answers['/v1/fts'] = {
      status: 400,
      body: { error: 'query must not end with AND', code: 'invalid_argument', requestId: 'r' },
    };
    const run = await searching(['-c', 'c', 'cats', 'AND']);
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('query must not end with AND')]);
  });
});
