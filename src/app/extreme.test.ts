import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { KEYS, Restarted } from '../../contract-tests/encryption/test-fixture.ts';
import { silentLog } from '../lib/log.ts';

const EXTREME = { SVC_EXTREME: 'true' };
const name = { collection: 'c', key: 'k', lang: 'en' };
const TEXT = randomBytes(6000).toString('base64');
const version = (i: number): string => `quokkamarker ${i} ${TEXT}`;

interface Listed {
  readonly revisions: { readonly revision: number; readonly contentMd: string }[];
}

describe('extreme mode', () => {
  let server: Restarted;
  afterEach(() => server.end());

  const write = async (from: number, to: number, collection = 'c') => {
    for (let i = from; i < to; i++) await server.add(collection, 'k', version(i), {});
  };
  const listed = async (collection = 'c') =>
    (await server.ok<Listed>('POST', '/v1/revisions', { ...name, collection })).revisions;
  const texts = async (collection = 'c') => (await listed(collection)).map(({ contentMd }) => contentMd);
  const newestFirst = (count: number) => Array.from({ length: count }, (_, i) => version(count - 1 - i));
  /** How many revisions are stored as deltas, in the clear. */
  const deltas = (): number => {
    const database = new DatabaseSync(server.database, { readOnly: true });
    const { n } = database.prepare("SELECT count(*) AS n FROM revisions WHERE substr(body, 1, 1) = x'03'").get() as {
      n: number;
    };
    database.close();
    return n;
  };

  it('starts, says once that HTTP/3 is not served without a certificate, and promises what any server does', async () => {
    server = await Restarted.start();
    const { durable } = await server.ok<{ durable: boolean }>('GET', '/v1/health');
    await server.restart(EXTREME);
    await server.stop();
    const warnings: string[] = [];
    await server.start({ ...silentLog, warn: (_: object, message: string) => void warnings.push(message) });
    expect(warnings.filter((message) => message.includes('HTTP/3'))).toHaveLength(1);
    expect(await server.ok('GET', '/v1/config')).toMatchObject({ protocols: { http3: { enabled: false } } });
    expect(await server.ok('GET', '/v1/health')).toMatchObject({ durable });
  });

  it('stores revisions as deltas, which are read, trimmed, backed up and restored with the mode on and off', {
    timeout: 60_000,
  }, async () => {
    server = await Restarted.start(EXTREME);
    await write(0, 20);
    expect(await texts()).toEqual(newestFirst(20));
    await server.ok('GET', '/v1/backup?to=b.db');
    await server.restart({});
    expect(deltas()).toBeGreaterThan(15);
    expect(await texts()).toEqual(newestFirst(20));
    await write(20, 23);
    await server.ok('POST', '/v1/truncate', { collection: 'c', keepRevs: 6 });
    expect(await texts()).toEqual(newestFirst(23).slice(0, 6));
    await server.restart(EXTREME);
    const oldest = (await listed()).at(-1)!;
    expect(await server.ok('POST', '/v1/revisions/restore', { ...name, revision: oldest.revision })).toMatchObject({
      contentMd: version(17),
    });
    await server.ok('POST', '/v1/restore', { from: 'b.db' });
    expect(await texts()).toEqual(newestFirst(20));
  });

  it('leaves no word of an encrypted collection in any file, and follows it when it is opened', { timeout: 60_000 },
    async () => {
      server = await Restarted.start({ ...EXTREME, SVC_ENCRYPTION_KEY: KEYS[0] });
      await server.configure('secret', { encrypted: true });
      await write(0, 8, 'secret');
      expect(await texts('secret')).toEqual(newestFirst(8));
      expect(deltas()).toBe(0);
      await server.stop();
      expect(await server.filesWith('quokkamarker', TEXT.slice(100, 140))).toEqual([]);
      await server.start();
      await server.configure('secret', { encrypted: false });
      await server.statusWhen('secret', ({ plaintext, withPrimary }) => withPrimary === 0 && plaintext > 0);
      expect([deltas(), await texts('secret')]).toEqual([7, newestFirst(8)]);
      await write(8, 10, 'secret');
      expect(await texts('secret')).toEqual(newestFirst(10));
    });
});
