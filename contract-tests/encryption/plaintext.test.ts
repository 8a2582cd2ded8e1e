import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SWITCH_PREFIX } from '../../src/storage/index.ts';
import { KEYS, Restarted } from './test-fixture.ts';

const nameOf = (key: string, collection = 'secret') => ({ collection, key, lang: 'en' });

/** Collections whose encryption is being switched on or off, which accepts what is in the clear. */
function pendingSwitches(database: string): unknown {
  const file = new DatabaseSync(database, { readOnly: true });
  try {
    return file.prepare('SELECT count(*) AS n FROM settings WHERE name LIKE ?').get(`${SWITCH_PREFIX}%`)!['n'];
  } finally {
    file.close();
  }
}

describe('a value in the clear in an encrypted collection, put in by somebody who can write to the file', () => {
  let server: Restarted;
  beforeEach(async () => {
    server = await Restarted.start({ SVC_ENCRYPTION_KEY: KEYS[0] });
    await server.configure('secret', { encrypted: true });
    for (const key of ['body', 'meta', 'revision', 'sound'])
      await server.add('secret', key, `text of ${key}`, { kind: ['true'] });
    await server.add('secret', 'revision', 'later text');
    await server.add('open', 'plain', 'forged text', { kind: ['forged'] });
    await vi.waitFor(() => expect(pendingSwitches(server.database)).toBe(0), 10_000);
    await server.stop();
    const file = new DatabaseSync(server.database);
    const forged = "(SELECT body FROM documents WHERE id = 'open|plain|en')";
    file.exec(`UPDATE documents SET body = ${forged} WHERE id = 'secret|body|en'`);
    file.exec(`UPDATE documents SET meta = '{"kind":["forged"]}' WHERE id = 'secret|meta|en'`);
    file.exec(
      `UPDATE revisions SET body = ${forged} WHERE body IS NOT NULL AND ord = (SELECT ord FROM documents WHERE id = ` +
        `'secret|revision|en')`,
    );
    file.close();
    await server.start();
  });
  afterEach(() => server.end());

  const expectRefused = async (method: string, path: string, body: object) => {
    const answer = await server.request(method, path, body);
    expect([path, answer.status, JSON.stringify(answer.body).includes('forged')]).toEqual([path, 500, false]);
  };

  it('is refused, by reads and by writes that return it, and counted in the status', async () => {
    for (const key of ['body', 'meta']) {
      await expectRefused('POST', '/v1/get', nameOf(key));
      await expectRefused('POST', '/v1/set-ttl', { ...nameOf(key), ttl: 60 });
      await expectRefused('PATCH', '/v1/update', { ...nameOf(key), ttl: 60 });
    }
    await expectRefused('POST', '/v1/revisions', nameOf('revision'));
    expect(await server.ok('POST', '/v1/get', nameOf('revision'))).toMatchObject({ contentMd: 'later text' });
    expect(await server.ok('POST', '/v1/get', nameOf('sound'))).toMatchObject({
      contentMd: 'text of sound',
      meta: { kind: ['true'] },
    });
    expect(await server.ok('POST', '/v1/get', nameOf('plain', 'open'))).toMatchObject({ contentMd: 'forged text' });
    expect(await server.statusWhen('secret', () => true)).toMatchObject({ plaintext: 3 });
  });

  it('does not keep its document from being replaced and deleted', async () => {
    await server.add('secret', 'body', 'new text', { kind: ['new'] });
    await server.add('secret', 'meta', 'new text', { kind: ['new'] });
    for (const key of ['body', 'meta'])
      expect(await server.ok('POST', '/v1/get', nameOf(key))).toMatchObject({
        contentMd: 'new text',
        meta: { kind: ['new'] },
      });
    await server.ok('POST', '/v1/delete', nameOf('revision'));
    expect((await server.request('POST', '/v1/get', nameOf('revision'))).status).toBe(404);
  });

  it('is accepted when an administrator switches the encryption off and on again, which says that it is intended', async () => {
    await server.configure('secret', { encrypted: false });
    expect(await server.ok('POST', '/v1/get', nameOf('body'))).toMatchObject({ contentMd: 'forged text' });
    await server.configure('secret', { encrypted: true });
    expect(await server.ok('POST', '/v1/get', nameOf('body'))).toMatchObject({ contentMd: 'forged text' });
    await server.statusWhen('secret', ({ plaintext }) => plaintext === 0);
    expect(await server.ok('POST', '/v1/get', nameOf('meta'))).toMatchObject({ meta: { kind: ['forged'] } });
  });
});
