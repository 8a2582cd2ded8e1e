import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { type ObjectStore, S3Store } from '../../net/objects.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { S3Server } from '../../testkit/s3-server.ts';
import { MemoryBudget, MemoryStore } from './memory-store.ts';

let s3: S3Server;
let outbound: Outbound;
beforeAll(async () => {
  s3 = await S3Server.start();
  outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
});
afterAll(async () => {
  await outbound.close();
  await s3.stop();
});

const STORES: Record<string, () => ObjectStore> = {
  memory: () => new MemoryStore({ now: () => Date.now() }, new MemoryBudget(1000)),
  s3: () => new S3Store(s3.config, { outbound, folder: 'folder', timeoutMs: 5000 }),
  's3 below a prefix': () =>
    new S3Store({ ...s3.config, endpoint: `http://${s3.endpoint}/`, prefix: "/a b/ü&<'+" }, {
      outbound,
      folder: 'folder',
      timeoutMs: 5000,
    }),
};

const nameOf = (content: string): string => createHash('sha256').update(content).digest('hex');

describe.each(Object.entries(STORES))('a store of objects: %s', (_, open) => {
  it('keeps, returns, lists and removes objects', async () => {
    const store = open();
    const names = ['one', 'two', 'three'].map(nameOf);
    for (const name of names) await store.put(name, Buffer.from(`content of ${name}`));
    await store.put(names[0]!, Buffer.from(`content of ${names[0]!}`));
    expect(Buffer.from((await store.get(names[1]!))!).toString()).toBe(`content of ${names[1]!}`);
    expect(await store.get(nameOf('four'))).toBeUndefined();
    const { objects, next } = await store.list(undefined);
    expect([objects.map(({ name }) => name).sort(), next]).toEqual([[...names].sort(), undefined]);
    expect(objects.every(({ putAt }) => Math.abs(Date.now() - putAt) < 60_000)).toBe(true);
    for (const name of [...names, nameOf('four')]) await store.remove(name);
    expect((await store.list(undefined)).objects).toEqual([]);
    expect(await store.get(names[0]!)).toBeUndefined();
  });
});

describe('objects in memory', () => {
  it('have a limit together, and make room when they go', async () => {
    const budget = new MemoryBudget(10);
    const [one, other] = [new MemoryStore({ now: () => 0 }, budget), new MemoryStore({ now: () => 0 }, budget)];
    await one.put('a', Buffer.alloc(8));
    await expect(other.put('b', Buffer.alloc(3))).rejects.toMatchObject({ code: 'unavailable' });
    await one.put('a', Buffer.alloc(8));
    await one.remove('a');
    await other.put('b', Buffer.alloc(10));
    expect(budget.bytes).toBe(10);
  });
});

describe('objects in a bucket', () => {
  it('are not waited for longer than the time-out', async () => {
    const timer = new ManualTimer();
    const patient = createOutbound({ allowPrivate: 'loopback', allowlist: [] }, { timer });
    s3.fail('silent');
    const asked = new S3Store(s3.config, { outbound: patient, folder: 'folder', timeoutMs: 7000 }).get(nameOf('one'));
    const failed = expect(asked).rejects.toMatchObject({
      field: 'endpoint',
      passes: true,
      message: 'no complete response within 7 s',
    });
    await timer.elapse();
    await failed;
    s3.fail();
    await patient.close();
  });

  it('are never asked of where a service redirects to, and what it says is not repeated', async () => {
    const asked: string[] = [];
    const answer = async (url: string | URL | Request): Promise<Response> => {
      asked.push(new URL(String(url as string)).host);
      return new Response('<Error><Code>PermanentRedirect</Code><Message>go to 10.0.0.1</Message></Error>', {
        status: 307,
        headers: { 'Location': 'http://evil.example/', 'Content-Type': 'application/xml' },
      });
    };
    const store = new S3Store({ endpoint: 's3.example.org', bucket: 'b' }, {
      outbound: { fetch: () => answer as typeof fetch },
      folder: 'folder',
      timeoutMs: 1,
    });
    const failure: unknown = await store.put(nameOf('one'), Buffer.from('x')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ field: 'region', message: 'the service returned 307 PermanentRedirect' });
    expect(asked).toEqual(['s3.example.org']);
  });

  it('are listed in pages, and those of others are left out', async () => {
    const pages = [
      `<IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1</NextContinuationToken>${
        entry(`folder/ab/${'ab'.repeat(32)}`)
      }${entry('folder/readme.txt')}`,
      `<IsTruncated>false</IsTruncated>${entry(`folder/cd/${'cd'.repeat(32)}`)}`,
    ];
    const asked: string[] = [];
    const answer = async (url: string | URL | Request): Promise<Response> => {
      asked.push(String(url as string));
      return new Response(`<?xml version="1.0"?><ListBucketResult>${pages[asked.length - 1]!}</ListBucketResult>`, {
        headers: { 'Content-Type': 'application/xml' },
      });
    };
    const store = new S3Store({ endpoint: 's3.example.org', bucket: 'b', accessKey: 'a', secretKey: 's' }, {
      outbound: { fetch: () => answer as typeof fetch },
      folder: 'folder',
      timeoutMs: 1,
    });
    const names: string[] = [];
    let from: string | undefined;
    do {
      const { objects, next } = await store.list(from);
      names.push(...objects.map(({ name }) => name));
      from = next;
    } while (from !== undefined);
    expect(names).toEqual(['ab'.repeat(32), 'cd'.repeat(32)]);
    expect(asked[1]).toContain('continuation-token=t%261');
  });
});

function entry(key: string): string {
  return `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>5</Size></Contents>`;
}
