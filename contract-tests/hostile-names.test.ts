import fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectOpenDatabase } from '../src/testkit/crash/inspect-database.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { hostileText } from './fuzz/hostile-values.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from './fuzz/run.ts';
import { expectRefusal } from './fuzz/watched-state.ts';
import { encode } from './fuzz/wire-request.ts';

let server: DocsServer;
let client: HttpClient;

beforeEach(async () => {
  server = await startDocsServer();
  client = new HttpClient(server.url);
});
afterEach(async () => {
  client.close();
  await server.stop();
});

const STEPS = ['..', '.', 'a', 'outside', 'link', 'quire.db', 'x.db', '%2e%2e', '', '~', 'C:', 'con', ' ', '\u0000',
  '\ud800'];

const MAX_NAME_CHARACTERS = 2000; // names that a URL can contain, however it is encoded

/** Names that try to lead out of a folder, onto the database, or through a symbolic link. */
const hostileName = fc.oneof(hostileText,
  fc.constantFrom(
    ...['', '-wal', '-shm', '-journal', '.lock'].flatMap((
      ending,
    ) => [`quire.db${ending}`, `QUIRE.DB${ending}`, `./quire.db${ending}`, `quire.db${ending}.`, `quire.db${ending} `]),
  ),
  fc.constantFrom('link.db', 'link/x.db', 'dangling.db', 'folder', 'folder/', 'inner.db', 'backup.db',
    'backup.db\u0000.txt', 'backup.db/..', 'con.db', 'x.db:stream', '-rf'),
  fc.tuple(fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 5 }), fc.constantFrom('/', '\\', '//')).map((
    [steps, separator],
  ) => steps.join(separator))).map((name) => name.slice(0, MAX_NAME_CHARACTERS));

/** Every file below a folder with a digest of its content; files of the live database by name only. */
async function snapshotOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digests = files.map(async (file) =>
    [file, basename(file).startsWith('quire.db')
      ? ''
      : createHash('sha1').update(await readFile(file)).digest('hex')] as const
  );
  return new Map(await Promise.all(digests));
}

describe('the name of a backup', () => {
  it('never leads out of its folder, nor to the database', async () => {
    const data = dirname(server.database);
    const outside = join(server.folder, 'outside');
    await mkdir(outside);
    await mkdir(join(data, 'folder'));
    await writeFile(join(outside, 'secret.db'), 'secret');
    await symlink(join(outside, 'secret.db'), join(data, 'link.db'));
    await symlink(outside, join(data, 'link'));
    await symlink(join(outside, 'made.db'), join(data, 'dangling.db'));
    await client.post('/v1/add', { collection: 'notes', key: 'kept', lang: 'en', contentMd: 'kept' });
    expect((await client.get('/v1/backup?to=backup.db')).status).toBe(200);
    const before = await snapshotOf(server.folder);

    await fuzz('backup names', hostileName, async (name) => {
      const answer = await client.get(`/v1/backup?to=${encode(name)}`);
      if (answer.status !== 200) expectRefusal(answer);
      expect(answer.status).toBeLessThan(500);
      const after = await snapshotOf(server.folder);
      const created = [...after.keys()].filter((file) => !before.has(file));
      // A successful backup is a file with exactly that name, in that folder; a rejected one leaves nothing.
      expect(created).toEqual(answer.status === 200 && !before.has(join(data, name)) ? [join(data, name)] : []);
      for (const file of created) await rm(file); // each of the files is read after each request
      const changed = [...before].filter(([file, digest]) => after.get(file) !== digest).map(([file]) => file);
      expect(changed.filter((file) => answer.status !== 200 || file !== join(data, name))).toEqual([]);
      for (const file of changed) before.set(file, after.get(file)!);
    }, { factor: 8 });

    expect((await client.post('/v1/get', { collection: 'notes', key: 'kept', lang: 'en' })).json()).toMatchObject({
      contentMd: 'kept',
    });
    expect(inspectOpenDatabase(server.database).faults).toEqual([]);
  }, FUZZ_TIMEOUT_MS);

  it('cannot be used to restore what is not a backup, nor to learn what exists elsewhere', async () => {
    const outside = join(server.folder, 'outside');
    await mkdir(outside);
    await client.post('/v1/add', { collection: 'notes', key: 'kept', lang: 'en', contentMd: 'kept' });
    // A valid database, so that only its path can be the reason for the rejection.
    await client.get('/v1/backup?to=inner.db');
    await writeFile(join(outside, 'x.db'), await readFile(join(dirname(server.database), 'inner.db')));
    await symlink(join(outside, 'x.db'), join(dirname(server.database), 'link.db'));
    await symlink(outside, join(dirname(server.database), 'link'));

    await fuzz('restore names', hostileName, async (from) => {
      const answer = await client.post('/v1/restore', { from });
      expect(from === 'inner.db' ? [200] : [400, 404]).toContain(answer.status);
      if (answer.status === 200) return;
      expectRefusal(answer);
      if (/[/\\]|\.\./.test(from))
        expect([answer.status, answer.json<{ error: string }>().error]).toEqual([400,
          expect.stringMatching(/^(invalid backup name|from must)/)]);
    }, { factor: 4 });
    expect((await client.post('/v1/get', { collection: 'notes', key: 'kept', lang: 'en' })).json()).toMatchObject({
      contentMd: 'kept',
    });
  }, FUZZ_TIMEOUT_MS);
});

describe('the entries of a ZIP export', () => {
  const step = fc.oneof(
    fc.constantFrom('..', '.', '', 'a', 'A', 'b', '...', '.. ', ' ..', 'C:', 'con', 'x.', 'x ', '~', '%2e%2e',
      '__proto__'),
    hostileText,
  );
  const key = fc.tuple(fc.array(step, { minLength: 1, maxLength: 5 }), fc.constantFrom('/', '\\')).map((
    [steps, separator],
  ) => steps.join(separator));

  it('stay inside the folder that they are unpacked to, one for each document', async () => {
    let run = 0;
    await fuzz('entry names', fc.array(key, { minLength: 1, maxLength: 12 }), async (keys) => {
      const collection = `zip-${run++}`;
      const documents = keys.map((each, i) => ({ key: each, lang: 'en', contentMd: `body ${i}` }));
      const stored = (await client.post('/v1/add-batch', { collection, documents })).json<{ added: number }>().added;
      const zip = await client.post('/v1/export', { collection, format: 'zip' });
      expect(zip.status).toBe(200);
      const entries = Object.entries(unzipSync(new Uint8Array(zip.bytes)));
      expect(entries).toHaveLength(stored);
      expect(new Set(entries.map(([name]) => name.toLowerCase())).size, 'names that some file systems take for one')
        .toBe(stored);
      for (const [name, content] of entries) {
        expectInside(name);
        expect(strFromU8(content)).toMatch(/body \d+$/);
      }
    }, { factor: 4 });
  }, FUZZ_TIMEOUT_MS);

  function expectInside(name: string): void {
    expect(name).toMatch(/\.en\.md$/);
    expect(name).not.toMatch(/^[/\\]|[\\:]|[\u0000-\u001f\u007f]/);
    const segments = name.split('/');
    expect(segments).not.toContain('..');
    expect(segments).not.toContain('.');
    expect(segments).not.toContain('');
  }
});
