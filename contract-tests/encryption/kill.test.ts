import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/testkit/crash/random.ts';
import { DocsProcess } from '../../src/testkit/docs-process.ts';
import { type CollectionStatus, KEYS } from './test-fixture.ts';

const ROUNDS = Number(process.env['QUIRE_CRASH_ROUNDS'] ?? 2);
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 20_262);
const DOCUMENTS = 200;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly lastError: string;
}

let folder: string;
let database: string;
let url: string;
let server: DocsProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-kill-'));
  database = join(folder, 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

async function start(env: Record<string, string>): Promise<void> {
  server = DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', database], { env });
  url = await server.listening();
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(url + path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json() as T;
}

const content = (i: number) => `kookaburra number ${i}, ${'which laughs '.repeat(i % 7)}`;

async function fill(): Promise<void> {
  const documents = Array.from({ length: DOCUMENTS },
    (_, i) => ({ key: `n${i}`, lang: 'en', contentMd: content(i), meta: { bird: [`kookaburra${i}`] } }));
  await call('POST', '/v1/add-batch', { collection: 'secret', documents });
}

async function expectAllReadable(): Promise<void> {
  const found = await call<{ key: string; contentMd: string; meta: Record<string, string[]> }[]>('POST', '/v1/search', {
    collection: 'secret',
    limit: 1000,
    includeContent: true,
  });
  const wanted = Array.from({ length: DOCUMENTS }, (_, i) => [`n${i}`, content(i), `kookaburra${i}`]);
  expect(found.map(({ key, contentMd, meta }) => [key, contentMd, meta['bird']![0]]).sort()).toEqual(wanted.sort());
}

async function statusOf(): Promise<CollectionStatus> {
  const { collections } = await call<{ collections: CollectionStatus[] }>('GET', '/v1/encryption/status');
  return collections.find(({ collection }) => collection === 'secret')!;
}

describe('a server that is killed (SIGKILL)', () => {
  const random = seededRandom(SEED);

  it(`during rotations of its key loses nothing, and ends the job (${ROUNDS} rounds from seed ${SEED})`, async () => {
    const old = { SVC_ENCRYPTION_KEY: KEYS[0] };
    const rotated = {
      SVC_ENCRYPTION_KEY: KEYS[1],
      SVC_ENCRYPTION_KEY_ID: '2',
      SVC_ENCRYPTION_PREVIOUS_KEYS: `1:${KEYS[0]}`,
    };
    await start(old);
    await call('PUT', '/v1/collection-config', { collection: 'secret', encrypted: true });
    await fill();
    await server.end();
    await start(rotated);
    for (let round = 1; round <= ROUNDS; round++) {
      const { id } = await call<Job>('POST', '/v1/encryption/rotate');
      // the kill must happen at an arbitrary time, so the test waits for a time instead of an event
      await setTimeout(random.integer(0, 40));
      await server.end('SIGKILL');
      await start(rotated);
      const job = await call<Job>('GET', `/v1/encryption/jobs/${id}`);
      expect(job.status === 'completed' ? '' : `${job.status}: ${job.lastError}`, `round ${round}`).toBe(
        job.status === 'completed' ? '' : 'failed: interrupted',
      );
      await expectAllReadable();
      const { plaintext, unknownKey } = await statusOf();
      expect({ plaintext, unknownKey }).toEqual({ plaintext: 0, unknownKey: 0 });
    }
    await call('POST', '/v1/encryption/rotate');
    while ((await statusOf()).withLegacy > 0) continue;
    await server.end();
    await start({ SVC_ENCRYPTION_KEY: KEYS[1], SVC_ENCRYPTION_KEY_ID: '2' });
    await expectAllReadable();
    await server.end();
  }, 120_000);

  it('while it encrypts what a collection held goes on with it by itself, until no word is left', async () => {
    const env = { SVC_ENCRYPTION_KEY: KEYS[0] };
    await start({});
    await fill();
    await server.end();
    await start(env);
    await call('PUT', '/v1/collection-config', { collection: 'secret', encrypted: true });
    await setTimeout(random.integer(0, 40));
    await server.end('SIGKILL');
    await start(env);
    await expectAllReadable();
    while ((await statusOf()).plaintext > 0) continue;
    while (await anyFileHolds('kookaburra')) await setTimeout(20); // until the file is rewritten
    await expectAllReadable();
    await server.end();
    expect(await anyFileHolds('kookaburra')).toBe(false);
  }, 60_000);
});

async function anyFileHolds(word: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // Side files and drafts may disappear meanwhile.
  const contents = await Promise.all(
    files.map((file) => readFile(join(file.parentPath, file.name)).catch(() => Buffer.alloc(0))),
  );
  return contents.some((bytes) => bytes.includes(word));
}
