import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stats } from '../../../generated/docs/sdk/types.gen.ts';
import { startDocsServer } from '../../testkit/docs-server.ts';
import { GrpcClient } from '../../testkit/grpc-client.ts';
import { eventually } from '../../testkit/runs-faults/eventually.ts';
import { API_TOKEN, startRunsServer } from '../../testkit/runs-server.ts';
import { BUCKET, CREDENTIAL, S3Server } from '../../testkit/s3-server.ts';
import { s3Copies } from './s3-copies.ts';

let s3: S3Server;
let folder: string;
beforeAll(async () => {
  s3 = await S3Server.start();
  folder = await mkdtemp(join(tmpdir(), 'quire-backups-'));
});
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const bucketUrl = (prefix: string) => `http://${s3.endpoint}/${BUCKET}/${prefix}`;
const keys = async (prefix: string) => [...(await s3.objects()).keys()].filter((key) => key.startsWith(prefix)).sort();

describe('scheduled backups of the document service', () => {
  it('are made, copied, reported in stats and metrics, and restored by their name', async () => {
    const dir = join(folder, 'docs');
    const server = await startDocsServer({
      env: {
        SVC_BACKUP_CRON: '0 3 * * *',
        SVC_BACKUP_DIR: dir,
        SVC_BACKUP_S3_URL: bucketUrl('docs'),
        SVC_BACKUP_S3_ACCESS_KEY: CREDENTIAL,
        SVC_BACKUP_S3_SECRET_KEY: CREDENTIAL,
      },
    });
    const ask = async <T>(path: string, body?: object) =>
      (await (await fetch(`${server.url}${path}`,
        body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }))
        .json()) as T;
    try {
      const made = await eventually('the first backup', async () => {
        const { backups } = await ask<Stats>('/v1/stats');
        return backups?.lastGoodAt === undefined ? undefined : backups;
      });
      expect(made).toMatchObject({
        schedule: '0 3 * * *',
        timezone: 'UTC',
        failures: 0,
        lastSizeBytes: made.files[0]!.sizeBytes,
      });
      const { name } = made.files[0]!;
      expect(await readdir(dir)).toEqual([name]);
      expect(await keys('docs/')).toEqual([`docs/${name}`]);
      const { data } = await ask<{ data: { stats: { backups: object } } }>('/graphql', {
        query: '{ stats { backups { schedule lastGoodAt lastError files { name } } } }',
      });
      expect(data.stats.backups).toEqual({
        schedule: '0 3 * * *',
        lastGoodAt: made.lastGoodAt,
        lastError: null,
        files: [{ name }],
      });
      const grpc = new GrpcClient(server.listeners.grpc!.url);
      expect(await grpc.call('Stats', {}).finally(() => grpc.close())).toMatchObject({
        backups: { schedule: '0 3 * * *', files: [{ name }] },
      });
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      expect(metrics).toMatch(/^svc_backup_age_seconds \d/m);
      expect(metrics).toMatch(/^svc_backup_size_bytes \d{4,}/m);
      expect(metrics).toMatch(/^svc_backup_duration_seconds \d/m);
      expect(metrics).toContain('svc_backups_total{outcome="ok"} 1');
      await ask('/v1/add', { collection: 'blog', key: 'later', lang: 'en', contentMd: 'Later.' });
      expect(await ask('/v1/restore', { from: name })).toEqual({ restored: name });
      expect((await ask<Stats>('/v1/stats')).totalDocuments).toBe(0);
    } finally {
      await server.stop();
    }
  });
});

describe('scheduled backups of the run queue', () => {
  it('are folders that `quire runs restore` takes, also in a bucket', async () => {
    const server = await startRunsServer(`
local: {enabled: false}
backup: {schedule: "0 3 * * *", s3: {url: "${
      bucketUrl('runs')
    }", access_key_env: BACKUP_KEY, secret_key_env: BACKUP_KEY}}
`, { variables: { BACKUP_KEY: CREDENTIAL } });
    try {
      await eventually('the first backup', async () => ((await (await fetch(`${server.url}/metrics`, {
        headers: { Authorization: `Bearer ${API_TOKEN}` },
      })).text()).includes('quire_backups_total{outcome="ok"} 1') || undefined));
      const [copied] = await keys('runs/');
      expect(copied).toMatch(/^runs\/scheduled-\d{8}T\d{6}Z\/backup\.json$/);
      expect(await keys('runs/')).toContain(copied!.replace('backup.json', 'queue.db'));
    } finally {
      await server.remove();
    }
  });
});

describe('copies in a bucket', () => {
  it('of several parts are read back whole, listed, and removed', async () => {
    const dir = join(folder, 'large');
    await mkdir(dir);
    const bytes = Buffer.alloc(9 * 2 ** 20, 'quire');
    await writeFile(join(dir, 'scheduled-1.db'), bytes);
    const copies = s3Copies({
      url: bucketUrl('large/deep'),
      region: '',
      accessKey: CREDENTIAL,
      secretKey: CREDENTIAL,
      folder: dir,
      filesOf: async () => [''],
    });
    await copies.put('scheduled-1.db');
    expect((await s3.objects()).get('large/deep/scheduled-1.db')?.equals(bytes)).toBe(true);
    expect(await copies.list()).toEqual(['scheduled-1.db']);
    await copies.remove('scheduled-1.db');
    expect(await copies.list()).toEqual([]);
  });

  it('fail with a reason', async () => {
    const copies = s3Copies({
      url: `http://${s3.endpoint}/none`,
      region: '',
      accessKey: CREDENTIAL,
      secretKey: CREDENTIAL,
      folder,
      filesOf: async () => [''],
    });
    await expect(copies.list()).rejects.toThrow();
    await expect(copies.put('missing.db')).rejects.toThrow('ENOENT');
  });
});
