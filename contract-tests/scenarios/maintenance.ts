import { strFromU8, unzipSync } from 'fflate';
import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { createBackup, createBackupByQuery, exportDocuments, getDocument,
  restoreBackup } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsScenarios, store } from './scenario.ts';

/** Export, backup and restore (contract, section 4, "Export, backup, maintenance"; decisions D-72, D-73). */
export const maintenance: DocsScenarios = {
  // Files bypass the proxy, which re-encodes what is not text.
  async exportDocuments(context) {
    const { direct, collection } = context;
    const news = await store(context, {
      key: 'Guide/start',
      meta: { category: ['news'] },
      contentMd: '# Guide\n\nZürich 🧭',
    });
    await store(context, { key: 'other', meta: { category: ['blog'] } });
    const filterMeta = { category: ['news'] };

    const lines = await exportDocuments({
      client: direct,
      parseAs: 'text',
      body: { collection, format: 'ndjson', filterMeta },
    });
    expect((succeeded(lines) as string).trimEnd().split('\n').map((line) => JSON.parse(line))).toEqual([news]);
    expect(lines.response!.headers.get('content-type')).toContain('application/x-ndjson');
    expect(lines.response!.headers.get('content-disposition')).toContain(`${collection}.ndjson`);

    const zip = await exportDocuments({ client: direct, parseAs: 'arrayBuffer', body: { collection, format: 'zip' } });
    const entries = unzipSync(new Uint8Array(succeeded(zip) as unknown as ArrayBuffer));
    expect(Object.keys(entries).sort()).toEqual(['Guide/start.en.md', 'other.en.md']);
    expect(strFromU8(entries['Guide/start.en.md']!)).toMatch(
      /^---\n[^]*category:[^]*news[^]*---\n+# Guide\n\nZürich 🧭$/,
    );

    const empty = await exportDocuments({
      client: direct,
      parseAs: 'text',
      body: { collection: `${collection}-empty`, format: 'ndjson' },
    });
    expect(succeeded(empty)).toBe('');
    refused(await exportDocuments({ client: direct, body: { collection, format: 'tar' as never } }), 400,
      'invalid_argument');
  },

  async createBackup(context) {
    const { client, server } = context;
    await store(context);
    const named = succeeded(await createBackup({ client, body: { to: 'first.db' } }));
    expect(named).toEqual({
      backup: 'first.db',
      sizeBytes: expect.any(Number),
      verified: true,
      includesIndexes: false,
    });
    expect((await stat(join(dirname(server.database), 'first.db'))).size).toBe(named.sizeBytes);
    expect(succeeded(await createBackup({ client })).backup).toMatch(/^backup-\d+\.db$/);
    for (const to of ['../out.db', '/tmp/out.db', 'quire.db', 'quire.db-wal', 'a/b.db']) {
      expect(refused(await createBackup({ client, body: { to } }), 400, 'invalid_argument').error).toBe(
        'invalid backup name',
      );
    }
  },

  async createBackupByQuery(context) {
    const { client, server } = context;
    await store(context);
    const named = succeeded(await createBackupByQuery({ client, query: { to: 'by-query.db' } }));
    expect((await stat(join(dirname(server.database), 'by-query.db'))).size).toBe(named.sizeBytes);
    refused(await createBackupByQuery({ client, query: { to: 'by-query.db' } }), 409, 'conflict');
    expect(refused(await createBackupByQuery({ client, query: { to: '../out.db' } }), 400, 'invalid_argument').error)
      .toBe('invalid backup name');
  },

  async restoreBackup(context) {
    const { client, direct, server, collection } = context;
    const kept = await store(context, { contentMd: 'in the backup' });
    succeeded(await createBackup({ client, body: { to: 'second.db' } }));
    await store(context, { contentMd: 'after the backup' });
    await store(context, { key: 'lost' });

    expect(succeeded(await restoreBackup({ client, body: { from: 'second.db' } }))).toEqual({ restored: 'second.db' });
    const read = (key: string) => getDocument({ client, body: { collection, key, lang: 'en' } });
    expect(succeeded(await read('hello-world'))).toEqual({ ...kept, checksum: expect.any(String) });
    refused(await read('lost'), 404, 'not_found');
    await store(context, { key: 'later' });

    refused(await restoreBackup({ client, body: { from: 'absent.db' } }), 404, 'not_found');
    refused(await restoreBackup({ client, body: { from: '../quire.db' } }), 400, 'invalid_argument');
    await writeFile(join(dirname(server.database), 'damaged.db'),
      'SQLite format 3\0 and then nothing that makes sense '.repeat(300));
    expect(refused(await restoreBackup({ client: direct, body: { from: 'damaged.db' } }), 500, 'internal').error)
      .toMatch(/^restore failed/);
    expect(succeeded(await read('later')).key).toBe('later');
  },
};
