import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../errors/index.ts';
import { signatureHeaders } from '../../../net/index.ts';
import { BodyUnavailable, KeyRing } from '../../../storage/index.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { DRIVERS, Fixture, START } from '../../documents/test-fixture.ts';
import { createIngest, type Ingest } from '../index.ts';

const document = (i: number, more: object = {}) => ({
  key: `d${i}`,
  lang: 'en',
  contentMd: `# Document ${i}`,
  ...more,
});
const documents = (count: number) => Array.from({ length: count }, (_, i) => document(i));

describe.each(DRIVERS)('bulk ingest jobs over %s (contract section 3, decisions 3.2)', (driver) => {
  let fixture: Fixture;
  let ingest: Ingest;
  let timer: ManualTimer;
  let cleanups: (() => Promise<unknown>)[];

  /** As after a restart: a new area over the same database. */
  async function restart(environment = fixture.environment): Promise<void> {
    await ingest?.jobs.stop();
    timer = new ManualTimer();
    ingest = createIngest(environment, { ...fixture, timer });
    fixture.use(ingest.handlers);
  }

  beforeEach(async () => {
    cleanups = [];
    fixture = await Fixture.open(driver);
    await restart();
  });
  afterEach(async () => {
    await ingest.jobs.stop();
    for (const cleanup of cleanups) await cleanup();
    await fixture.close();
  });

  const submit = (input: object = {}) =>
    fixture.call('submitBulkIngest', { collection: 'Blog', documents: documents(2), ...input });
  const job = (id: string) => fixture.call('getBulkIngest', { id });
  const run = async () => {
    ingest.jobs.start();
    await ingest.jobs.settled();
  };

  it('are accepted as pending, loaded, and recorded', async () => {
    const accepted = await submit({
      documents: [...documents(3), document(0, { contentMd: 'again' }), { lang: 'en', contentMd: '' }],
    });
    expect(accepted).toEqual({
      id: expect.stringMatching(/^job_1766400000000_[0-9a-f]{6}$/),
      collection: 'Blog',
      status: 'pending',
      total: 5,
      processed: 0,
      added: 0,
      updated: 0,
      failed: 0,
      errors: [],
      submittedAt: START,
    });
    fixture.advance(1);
    await run();
    expect(await job(accepted.id)).toEqual({
      ...accepted,
      status: 'completed',
      processed: 5,
      added: 3,
      updated: 1,
      failed: 1,
      errors: ['4 : missing fields: key'],
      startedAt: START + 1,
      completedAt: START + 1,
    });
    expect((await fixture.call('getDocument', { collection: 'blog', key: 'd0', lang: 'en' })).contentMd).toBe('again');
    expect(await fixture.count('bulk_documents')).toBe(0);
  });

  it('are loaded in transactions of 500 documents, in the order of their submission', async () => {
    await submit({ documents: documents(1001) });
    await submit({ documents: [document(0, { contentMd: 'of the second job' })] });
    await run();
    expect((await fixture.call('getDocument', { collection: 'blog', key: 'd0', lang: 'en' })).contentMd).toBe(
      'of the second job',
    );
    expect(
      (await fixture.call('listBulkIngest', {})).jobs.map((
        { total, processed, added, updated },
      ) => [total, processed, added, updated]),
    ).toEqual([[1, 1, 0, 1], [1001, 1001, 1001, 0]]);
  });

  it('fail when no document of them can be stored', async () => {
    const { id } = await submit({
      documents: Array.from({ length: 60 }, () => ({ key: 'a|b', lang: 'en', contentMd: '' })),
    });
    await run();
    const record = await job(id);
    expect(record).toMatchObject({
      status: 'failed',
      error: 'none of its documents could be stored',
      processed: 60,
      failed: 60,
    });
    expect(record.errors).toHaveLength(50);
    expect(record.errors[49]).toMatch(/^49 a\|b: key must not/);
  });

  it('repair text as a batch does, and keep every metadata key', async () => {
    const { id } = await submit({
      documents: [document(0, { contentMd: 'a\ud800', meta: JSON.parse('{"__proto__": ["x"], "n": 1}') as object }),
        document(1, { saveRevision: false })],
    });
    await run();
    expect(await job(id)).toMatchObject({ status: 'completed', sanitized: 1 });
    expect(await fixture.count('revisions')).toBe(1);
    await submit({ documents: [document(2), document(3, { saveRevision: true })], saveRevision: false });
    await run();
    expect(await fixture.count('revisions')).toBe(2);
    expect(JSON.stringify((await fixture.call('getDocument', { collection: 'blog', key: 'd0', lang: 'en' })).meta))
      .toBe('{"__proto__":["x"],"n":["1"]}');
  });

  it('can be cancelled while they are pending, and not afterwards', async () => {
    const first = await submit();
    const second = await submit();
    expect(await fixture.call('cancelBulkIngest', { id: first.id })).toEqual({
      ...first,
      status: 'cancelled',
      completedAt: START,
    });
    await run();
    expect(await job(first.id)).toMatchObject({ status: 'cancelled', processed: 0 });
    expect(await job(second.id)).toMatchObject({ status: 'completed', added: 2 });
    for (const [id, status] of [[first.id, 'cancelled'], [second.id, 'completed']] as const) {
      await expect(fixture.call('cancelBulkIngest', { id })).rejects.toMatchObject({
        status: 400,
        message: `job already started: its status is ${status}`,
      });
    }
  });

  it('are refused without documents, and unknown ones are not found', async () => {
    await expect(submit({ documents: [] })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('documents'),
    });
    await expect(job('job_1_abcdef')).rejects.toMatchObject({ status: 404 });
    await expect(fixture.call('cancelBulkIngest', { id: 'job_1_abcdef' })).rejects.toMatchObject({ status: 404 });
  });

  /** Starts the loading, and stops it after one transaction that stores documents. */
  async function stopAfterSome(): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    const { writer } = fixture.documents;
    const put: typeof writer.put = (collection, items, options) =>
      writer.put(collection, items, {
        ...options,
        within: async (tx, result, count) => {
          await options!.within!(tx, result, count);
          void ingest.jobs.stop().then(stopped.resolve);
        },
      });
    ingest = createIngest(fixture.environment, {
      ...fixture,
      timer,
      documents: { ...fixture.documents, writer: { ...writer, put } },
    });
    ingest.jobs.start();
    await stopped.promise;
  }

  /** The records of a job and of those that continue it. */
  async function chain(id: string): Promise<Awaited<ReturnType<typeof job>>[]> {
    const record = await job(id);
    return [record, ...(record.continuedAs === undefined ? [] : await chain(record.continuedAs))];
  }

  it('fail when a restart interrupts them, and go on as others with no document lost or loaded twice', async () => {
    const { id } = await submit({
      documents: Array.from({ length: 1300 }, (_, i) => (i % 100 === 7 ? { lang: 'en', contentMd: '' } : document(i))),
    });
    for (let stops = 0; stops < 2; stops++) {
      await stopAfterSome();
      await restart();
    }
    await run();
    const records = await chain(id);
    expect(
      records.map((
        { status, total, processed, added, updated, failed },
      ) => [status, total, processed, added, updated, failed]),
    ).toEqual([['failed', 1300, 500, 495, 0, 5], ['failed', 800, 500, 495, 0, 5], ['completed', 300, 300, 297, 0, 3]]);
    expect(records.map(({ error }) => error)).toEqual(['interrupted by restart', 'interrupted by restart', undefined]);
    expect(records.every(({ completedAt }) => completedAt === START)).toBe(true);
    expect(records.flatMap(({ errors }) => errors.map((line) => Number.parseInt(line, 10)))).toEqual([7, 107, 207, 307,
      407, 7, 107, 207, 307, 407, 7, 107, 207]);
    expect((await fixture.changes()).filter(({ kind }) => kind === 'doc.put')).toHaveLength(1287);
    expect(await fixture.count('bulk_documents')).toBe(0);
    await expect(fixture.call('cancelBulkIngest', { id })).rejects.toMatchObject({
      status: 400,
      message: 'job already started: its status is failed',
    });
  });

  it('keep their place among others when they go on, and those that were pending stay so', async () => {
    const first = await submit({ documents: documents(501) });
    const second = await submit({ documents: [document(500, { contentMd: 'of the second job' })] });
    await stopAfterSome();
    await restart();
    expect((await job(second.id)).status).toBe('pending');
    await run();
    expect((await chain(first.id)).map(({ status, added }) => [status, added])).toEqual([['failed', 500], ['completed',
      1]]);
    expect(await job(second.id)).toMatchObject({ status: 'completed', updated: 1 });
    expect((await fixture.call('getDocument', { collection: 'blog', key: 'd500', lang: 'en' })).contentMd).toBe(
      'of the second job',
    );
  });

  it('are not interrupted by a stop and a start within one process', async () => {
    const { id } = await submit({ documents: documents(700) });
    await stopAfterSome();
    await run();
    expect(await chain(id)).toMatchObject([{ status: 'completed', added: 700 }]);
  });

  it('undo a transaction whose progress somebody else has written down', async () => {
    const { id } = await submit({ documents: documents(600) });
    const { writer } = fixture.documents;
    let other: Ingest['jobs'] | undefined;
    ingest = createIngest(fixture.environment, {
      ...fixture,
      timer,
      documents: {
        ...fixture.documents,
        writer: {
          async put(...args: Parameters<typeof writer.put>) {
            if (other === undefined) {
              other = createIngest(fixture.environment, { ...fixture, timer }).jobs;
              other.start();
              await other.settled();
              await other.stop();
            }
            return writer.put(...args);
          },
        },
      },
    });
    await run();
    expect(await chain(id)).toMatchObject([{ status: 'failed', processed: 0 }, {
      status: 'completed',
      added: 600,
      updated: 0,
    }]);
    expect((await fixture.changes()).filter(({ kind }) => kind === 'doc.put')).toHaveLength(600);
  });

  it('end as failed with the reason when their user has lost the permission, and store nothing more', async () => {
    let refusal: ServiceError | undefined;
    let asked = 0;
    const standing = {
      isPermitted: () => refusal === undefined,
      requirePermission: async () => {
        if (refusal !== undefined) throw refusal;
      },
    };
    const submitters: object[] = [];
    ingest = createIngest(fixture.environment, {
      ...fixture,
      timer,
      access: {
        standingOf: (user, permission, collection) => {
          submitters.push({ ...user, permission, collection });
          // After the first of two transactions.
          if (++asked === 2)
            refusal = new ServiceError('forbidden', 'forbidden: the user ann, whose work this is, is disabled');
          return standing;
        },
      },
    });
    fixture.use(ingest.handlers);
    const { id } = await ingest.handlers.submitBulkIngest({
      collection: 'Blog',
      documents: documents(600),
      saveRevision: true,
    }, {
      identity: { username: 'ann', account: 'a1', admin: false, by: 'token', may: () => true },
      ...standing,
    } as unknown as Parameters<typeof ingest.handlers.submitBulkIngest>[1]) as { id: string };
    await run();
    expect(await job(id)).toMatchObject({
      status: 'failed',
      processed: 500,
      added: 500,
      errors: ['forbidden: the user ann, whose work this is, is disabled'],
    });
    expect(await fixture.count('documents')).toBe(500);
    expect(submitters[0]).toEqual({ username: 'ann', account: 'a1', permission: 'write', collection: 'Blog' });
  });

  it('wait when the database is out of order, and go on when it works again', async () => {
    const { id } = await submit();
    let failures = 1;
    const { writer } = fixture.documents;
    ingest = createIngest(fixture.environment, {
      ...fixture,
      timer,
      documents: {
        ...fixture.documents,
        writer: {
          put: async (...args: Parameters<typeof writer.put>) => {
            if (failures-- > 0) throw new ServiceError('unavailable', 'disk full');
            return writer.put(...args);
          },
        },
      },
    });
    await run();
    expect(await job(id)).toMatchObject({ status: 'processing', processed: 0 });
    await timer.elapse();
    await ingest.jobs.stop();
    ingest.jobs.start();
    await ingest.jobs.settled();
    expect(await job(id)).toMatchObject({ status: 'completed', added: 2 });
  });

  it('of a collection whose bodies are out of reach wait, and let others pass', async () => {
    let isDown = true;
    fixture.environment.codec.connect({
      place: async (collection) => {
        if (isDown && collection === 'Blog') throw new BodyUnavailable('the bucket is down');
        return undefined;
      },
      fetch: () => Promise.reject(new Error('nothing is elsewhere')),
    });
    const [{ id: first }, { id: second }] = [await submit(), await submit({ collection: 'Other' })];
    await run();
    expect([(await job(first)).status, (await job(second)).status]).toEqual(['processing', 'completed']);
    isDown = false;
    fixture.advance(6);
    await timer.elapse();
    while ((await job(first)).status !== 'completed') await setImmediate();
  });

  it('fail with a reason when their documents cannot be read', async () => {
    const { id } = await submit();
    await fixture.sql.transaction((tx) => tx.run("UPDATE bulk_documents SET documents = x'00ff'"));
    await run();
    expect(await job(id)).toMatchObject({
      status: 'failed',
      processed: 0,
      error: expect.any(String),
      completedAt: START,
    });
  });

  it('keep the last 1,000 records, and every job that has not ended', async () => {
    const open = await submit();
    await fixture.sql.transaction((tx) =>
      tx.runMany(
        "INSERT INTO bulk_jobs(id, collection, status, total, submitted_at) VALUES (?, 'blog', 'completed', 1, 0)",
        Array.from({ length: 1005 }, (_, i) => [`job_${i}_abcdef`]),
      )
    );
    await submit();
    const { jobs, total } = await fixture.call('listBulkIngest', {});
    expect(total).toBe(1001);
    expect(jobs.at(-1)!.id).toBe(open.id);
    expect(jobs.at(-2)!.id).toBe('job_6_abcdef');
  });

  it('are listed newest first, of one collection if asked', async () => {
    const blog = await submit();
    const other = await submit({ collection: 'other' });
    expect((await fixture.call('listBulkIngest', {})).jobs.map(({ id }) => id)).toEqual([other.id, blog.id]);
    expect(await fixture.call('listBulkIngest', { collection: 'BLOG' })).toEqual({ jobs: [blog], total: 1 });
  });

  it('are visible to callers that may write the collection; others see none', async () => {
    const { id } = await submit();
    const { getBulkIngest, cancelBulkIngest, listBulkIngest } = ingest.handlers;
    const context = (permission: string) =>
      ({
        identity: {
          username: 'u',
          admin: false,
          by: 'token',
          may: (asked: string, collection: string) => asked === permission && collection === 'Blog',
        },
      }) as unknown as Parameters<typeof getBulkIngest>[1];
    for (const handler of [getBulkIngest,
      cancelBulkIngest] as ((input: { id: string },
        context: Parameters<typeof getBulkIngest>[1]) => Promise<unknown>)[])
    {
      await expect(handler({ id }, context('read'))).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await listBulkIngest({}, context('read'))).toEqual({ jobs: [], total: 0 });
    expect(await getBulkIngest({ id }, context('write'))).toMatchObject({ id });
    expect(await listBulkIngest({}, context('write'))).toMatchObject({ total: 1 });
  });

  it('are counted in the metrics by their status', async () => {
    const registry = new Registry();
    ingest.jobs.registerMetrics([registry]);
    await submit();
    await submit({ documents: [{ lang: 'en' }] });
    const counts = async () => (await registry.metrics()).match(/^svc_bulk_jobs.*$/gm);
    expect(await counts()).toContain('svc_bulk_jobs{status="pending"} 2');
    await run();
    expect(await counts()).toEqual(
      ['pending', 'processing', 'completed', 'failed', 'cancelled'].map((status) =>
        `svc_bulk_jobs{status="${status}"} ${status === 'completed' || status === 'failed' ? 1 : 0}`
      ),
    );
  });

  it('wait encrypted on a server with keys', async () => {
    const keys = new KeyRing({ id: 3, bytes: Buffer.alloc(32, 3) });
    await restart({ ...fixture.environment, keys });
    const { id } = await submit({
      documents: [document(0, { contentMd: 'secret' }), { key: 'secret|key', lang: 'en', contentMd: '' }],
    });
    const stored = async () =>
      JSON.stringify([await fixture.sql.all('SELECT CAST(documents AS TEXT) AS t FROM bulk_documents'),
        await fixture.sql.all('SELECT errors FROM bulk_jobs')]);
    expect(await stored()).not.toContain('secret');
    await run();
    expect(await stored()).not.toContain('secret');
    expect(await job(id)).toMatchObject({
      status: 'completed',
      added: 1,
      errors: [expect.stringContaining('secret|key')],
    });
  });

  it('go on on a server with keys', async () => {
    const keys = new KeyRing({ id: 3, bytes: Buffer.alloc(32, 3) });
    await restart({ ...fixture.environment, keys });
    const { id } = await submit({ documents: documents(3) });
    await fixture.sql.transaction((tx) => tx.run("UPDATE bulk_jobs SET status = 'processing'"));
    await restart({ ...fixture.environment, keys });
    await run();
    expect(await chain(id)).toMatchObject([{ status: 'failed', error: 'interrupted by restart' }, {
      status: 'completed',
      added: 3,
    }]);
  });

  describe('callbacks', () => {
    interface Receiver {
      readonly url: string;
      readonly seen: { headers: IncomingMessage['headers']; body: unknown }[];
      status: number;
    }

    async function receiver(): Promise<Receiver> {
      const made: Receiver = { url: '', seen: [], status: 200 };
      const server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
          made.seen.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
          response.writeHead(made.status).end();
        });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      cleanups.push(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      });
      return Object.assign(made, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` });
    }

    it('send the final record', async () => {
      const { url, seen } = await receiver();
      const { id } = await submit({ callbackUrl: url });
      await run();
      await ingest.jobs.settled();
      expect(seen).toEqual([{
        headers: expect.objectContaining({
          'content-type': 'application/json',
          'x-svc-delivery': id,
          'x-svc-timestamp': String(START),
        }),
        body: await job(id),
      }]);
      expect(await fixture.count('bulk_jobs WHERE callback_due IS NOT NULL')).toBe(0);
    });

    it('send the records of a job that was interrupted and of the one that continues it', async () => {
      const { url, seen } = await receiver();
      const { id } = await submit({ documents: documents(501), callbackUrl: url });
      await stopAfterSome();
      await restart();
      await run();
      await ingest.jobs.settled();
      const records = await chain(id);
      expect(records).toHaveLength(2);
      expect(
        seen.map(({ body }) => body).sort((a, b) => (a as { total: number }).total - (b as { total: number }).total),
      ).toEqual(records.toReversed());
    });

    it('are signed with the secret of the server', async () => {
      const { url, seen } = await receiver();
      await restart({
        ...fixture.environment,
        settings: { ...fixture.environment.settings, webhookSecret: 'the key' },
      });
      const { id } = await submit({ callbackUrl: url });
      await run();
      const [{ headers, body }] = seen as [Receiver['seen'][number]];
      const sent = new TextEncoder().encode(JSON.stringify(body));
      const expected = Object.entries(signatureHeaders('the key', { id, timestamp: START, body: sent })).map((
        [name, value],
      ) => [name.toLowerCase(), value]);
      expect(headers).toMatchObject(Object.fromEntries(expected));
      expect(headers['x-svc-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    });

    it('are repeated at 1, 5 and 15 seconds, also by the next process, and then given up', async () => {
      const target = await receiver();
      target.status = 503;
      await submit({ callbackUrl: target.url });
      await run();
      for (const [attempts, seconds] of [[1, 1], [2, 4], [3, 10]] as const) {
        await ingest.jobs.settled();
        expect([target.seen.length, timer.sleeps.at(-1)]).toEqual([attempts, seconds * 1000]);
        if (attempts === 2) await restart();
        fixture.advance(seconds);
        ingest.jobs.start();
        ingest.jobs.wake();
      }
      await ingest.jobs.settled();
      expect(target.seen).toHaveLength(4);
      expect(await fixture.count('bulk_jobs WHERE callback_due IS NOT NULL')).toBe(0);
    });

    it('end with 410', async () => {
      const target = await receiver();
      target.status = 410;
      await submit({ callbackUrl: target.url });
      await run();
      await ingest.jobs.settled();
      expect([target.seen.length, await fixture.count('bulk_jobs WHERE callback_due IS NOT NULL')]).toEqual([1, 0]);
    });

    it('report a job that was cancelled', async () => {
      const target = await receiver();
      const { id } = await submit({ callbackUrl: target.url });
      await fixture.call('cancelBulkIngest', { id });
      await run();
      expect(target.seen.map(({ body }) => (body as Awaited<ReturnType<typeof job>>).status)).toEqual(['cancelled']);
    });

    it('are refused where this server may not call', async () => {
      for (const callbackUrl of ['http://169.254.169.254/latest', 'http://u:p@example.org/', 'ftp://example.org/']) {
        await expect(submit({ callbackUrl })).rejects.toMatchObject({
          status: 400,
          message: expect.stringContaining('callbackUrl'),
        });
      }
      expect(await fixture.count('bulk_jobs')).toBe(0);
    });
  });
});
