import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatMoment } from './shared/format.ts';
import { textWidth } from './shared/text-width.ts';
import { startFakeService, type FakeAnswer, type FakeService } from './testing/fake-service.ts';
import { runQuire } from './testing/run-command.ts';

const DOCUMENTS = [
  { id: 'c|a|en', key: 'a', lang: 'en', meta: { title: ['First'], tags: ['x', 'y'] }, updatedAt: 1_770_000_000 },
  { id: 'c|b|en', key: 'b', lang: 'en', meta: { title: ['Second \u001b[31mpage'], category: ['guide'] }, updatedAt: 1_770_000_060 },
];

let service: FakeService;
let answers: Record<string, FakeAnswer>;

beforeEach(async () => {
  answers = { '/v1/search': { body: DOCUMENTS, headers: { 'X-Total-Count': '1234' } } };
  service = await startFakeService(({ path }) => answers[path] ?? { status: 404, body: { error: 'not found' } });
});

afterEach(() => service.close());

const searching = (options: string[], terminal?: number | 'closed') =>
  runQuire(['search', '--url', service.url, ...options], terminal === undefined ? {} : terminal === 'closed' ? { closed: true } : { columns: terminal });

describe('quire search', () => {
  it('lists key, title, last change and tags, and the total of X-Total-Count', async () => {
    const run = await searching(['-c', 'c']);
    expect(run).toMatchObject({ exitCode: 0, stderr: '1 to 2 of 1,234 documents\n' });
    expect(run.stdout.split('\n')).toEqual([
      'key  title            updated           tags',
      '───  ───────────────  ────────────────  ─────',
      `a    First            ${formatMoment(1_770_000_000)}  x, y`,
      `b    Second [31mpage  ${formatMoment(1_770_000_060)}  guide`,
      '',
    ]);
  });

  it('asks for nothing but what it shows', async () => {
    await searching(['-c', 'c']);
    expect(service.requests[0]!.body).toEqual({ collection: 'c', limit: 50, offset: 0, fields: ['title', 'updatedAt', 'tags', 'category'] });
  });

  it('passes filter, order and page on', async () => {
    await searching(['-c', 'c', '--filter', 'tags=x', '--sort', 'updatedAt', '--asc', '--limit', '5', '--offset', '10', '--fields', 'title,sidebar']);
    expect(service.requests[0]!.body).toEqual({ collection: 'c', filterMeta: { tags: ['x'] }, sort: 'updatedAt', asc: true, limit: 5, offset: 10, fields: ['title', 'sidebar'] });
  });

  it('shows the fields that are asked for', async () => {
    const run = await searching(['-c', 'c', '--fields', 'title,constructor,category']);
    expect(run.stdout.split('\n')[0]).toMatch(/^key +title +constructor +category$/);
    expect(run.stdout).toMatch(/^b +Second \[31mpage +guide$/m);
  });

  it('fits the terminal', async () => {
    answers['/v1/search'] = { body: [{ ...DOCUMENTS[0], key: 'k'.repeat(200), meta: { title: ['長い題'.repeat(40)] } }] };
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

  it.each([
    [0, 0, 'no documents match'],
    [0, 7, '7 documents match; none listed from 10 on'],
    [2, 2, '2 documents'],
  ])('says how many there are (%i of %i)', async (listed, total, text) => {
    answers['/v1/search'] = { body: DOCUMENTS.slice(0, listed), headers: { 'X-Total-Count': String(total) } };
    expect((await searching(['-c', 'c', '--offset', '10'])).stderr).toBe(`${text}\n`);
  });

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
    expect(await searching([])).toMatchObject({ exitCode: 1, stderr: 'quire search: which collection? give one with --collection: one, two\n' });
    answers['/v1/stats'] = stats();
    expect((await searching([])).stderr).toContain('no collection yet');
  });
});
