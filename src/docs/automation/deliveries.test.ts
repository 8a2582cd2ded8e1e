import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EmbeddingError } from '../../embedding/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { AutomationFixture } from '../../testkit/automation-fixture.ts';

/** Waits between attempts end at once, and are recorded; waits of more than a minute never end. */
class InstantTimer implements Timer {
  readonly waits: number[] = [];

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (milliseconds > 60_000)
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    if ([1000, 4000, 10_000].includes(milliseconds)) this.waits.push(milliseconds);
    await setImmediate();
  }
}

describe('deliveries of automation rules (decisions, section 6)', () => {
  let fixture: AutomationFixture;
  let timer: InstantTimer;
  beforeEach(async () => {
    fixture = await AutomationFixture.open({}, { crons: false });
    await fixture.stop();
    timer = new InstantTimer();
    await fixture.start({ crons: false }, timer);
  });
  afterEach(() => fixture.close());

  const ended = (total: number) =>
    vi.waitFor(async () => expect(await fixture.logs()).toMatchObject({ total }), { timeout: 15_000 });

  it('are tried four times, and then logged as failed', async () => {
    fixture.endpoint.answer = (_, response) => response.writeHead(503).end();
    await fixture.create({ query: 'router' });
    await fixture.documents.write('a', 'router');
    await ended(1);
    expect((await fixture.logs()).logs).toMatchObject([{
      status: 'error',
      httpStatus: 503,
      attempt: 4,
      error: 'HTTP status 503',
      docId: 'c|a|en',
    }]);
    expect(timer.waits).toEqual(expect.arrayContaining([1000, 4000, 10_000]));
    const ids = fixture.endpoint.received.map(({ headers }) => headers['x-svc-delivery']);
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(4);
  });

  it('of one document do not delay those of others, also while the endpoint fails', async () => {
    fixture.endpoint.answer = ({ body }, response) =>
      response.writeHead((body.document as unknown as { key: string }).key === 'bad' ? 500 : 204).end();
    await fixture.create({ query: 'router' });
    for (const key of ['bad', 'a', 'b', 'c', 'd', 'e']) await fixture.documents.write(key, 'router');
    await ended(6);
    const { logs } = await fixture.logs({ status: 'success' });
    expect(logs.map(({ docId }) => docId).toSorted()).toEqual(['c|a|en', 'c|b|en', 'c|c|en', 'c|d|en', 'c|e|en']);
  });

  it('stop at 410, and follow no redirect', async () => {
    fixture.endpoint.answer = ({ path }, response) =>
      response.writeHead(path === '/hook/gone' ? 410 : 302, { Location: 'http://127.0.0.1:9/private' }).end();
    await fixture.create({ name: 'gone', query: 'router', webhookUrl: `${fixture.endpoint.url}/gone` });
    await fixture.create({ name: 'moved', query: 'router' });
    await fixture.documents.write('a', 'router');
    await ended(2);
    const { logs } = await fixture.logs();
    expect(Object.fromEntries(logs.map(({ ruleName, httpStatus, attempt }) => [ruleName, [httpStatus, attempt]])))
      .toEqual({ gone: [410, 1], moved: [302, 4] });
  });

  it('are not sent where a key of dots would lead, to another path of the host', async () => {
    await fixture.create({ query: 'router', webhookUrl: `${fixture.endpoint.url}/{{doc.key}}/notify` });
    for (const key of ['a', '..', '.', 'b.c']) await fixture.documents.write(key, 'router');
    await ended(4);
    expect(fixture.endpoint.received.map(({ path }) => path).toSorted()).toEqual(['/hook/a/notify',
      '/hook/b.c/notify']);
    const { logs } = await fixture.logs({ status: 'skipped' });
    expect(logs.map(({ docId, error }) => [docId, error]).toSorted()).toEqual(
      ['c|..|en', 'c|.|en'].map((docId) => [docId, 'a variable would change the path of its URL']),
    );
  });

  it('of one rule do not wait for an endpoint that hangs', async () => {
    fixture.endpoint.answer = ({ path }, response) => void (path === '/hook/hangs' || response.writeHead(204).end());
    await fixture.create({ name: 'hangs', query: 'router', webhookUrl: `${fixture.endpoint.url}/hangs` });
    await fixture.create({ name: 'works', query: 'router' });
    for (const key of ['a', 'b', 'c']) await fixture.documents.write(key, 'router');
    await ended(3);
    expect((await fixture.logs()).logs.map(({ ruleName }) => ruleName)).toEqual(['works', 'works', 'works']);
  });

  it('by GET have no body', async () => {
    const get = await fixture.create({
      type: 'webhook',
      method: 'GET',
      url: `${fixture.endpoint.url}/get?{{doc.key}}`,
    });
    await fixture.create({ query: 'router', webhookId: get.id });
    await fixture.documents.write('a', 'router');
    await ended(1);
    expect(fixture.endpoint.received).toMatchObject([{ path: '/hook/get?a', text: '' }]);
  });

  it('come late where the query cannot be embedded for a while, and hold up no others', async () => {
    const { meaning } = fixture.documents.base;
    let refused = 0;
    meaning.failure = (
      texts,
    ) => (texts.includes('roses') && ++refused <= 3 ? new EmbeddingError('down', { retryable: true }) : undefined);
    await fixture.create({ name: 'vector', searchType: 'vector', query: 'roses', threshold: 0.1 });
    await fixture.create({ name: 'words', query: 'garden' });
    await fixture.documents.add('a', 'a garden of roses');
    await fixture.endpoint.until(2);
    expect(fixture.toldBy).toEqual(['vector a', 'words a']);
    expect(fixture.documents.base.warnings).toContain(
      'triggers that compare vectors could not be evaluated; trying again',
    );
  });

  it('end with their rule', async () => {
    fixture.endpoint.answer = (_, response) => response.writeHead(500).end();
    const { id } = await fixture.create({ query: 'router' });
    await fixture.documents.write('a', 'router');
    await fixture.endpoint.until(1);
    await fixture.call('deleteAutomationRule', { id });
    const { sql } = fixture.documents.base;
    expect(await sql.all('SELECT * FROM delivery_outbox')).toEqual([]);
    expect(await sql.all('SELECT * FROM delivery_lanes')).toEqual([]);
    await expect(fixture.call('deleteAutomationRule', { id })).rejects.toThrow('not found');
  });
});
