import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { getDocument, getEncryptionJob, getEncryptionStatus, listEncryptionJobs, rotateEncryption,
  setCollectionConfig } from '../../generated/docs/sdk/sdk.gen.ts';
import { refused, succeeded } from '../support/expectations.ts';
import { type DocsContext, type DocsScenarios, now, store } from './scenario.ts';

async function encrypt({ client, collection }: DocsContext): Promise<void> {
  succeeded(await setCollectionConfig({ client, body: { collection, encrypted: true } }));
}

/**
 * Starts a job, and returns its id when it has ended, because the counters of a running job change between two reads.
 */
async function rotated({ client, server }: DocsContext): Promise<string> {
  const { id } = succeeded(await rotateEncryption({ client, body: {} }));
  while (await server.sql.get('SELECT 1 AS running FROM encryption_jobs WHERE finished_at = 0')) await setImmediate();
  return id;
}

/** Encryption at rest (contract, section 4, "Audit, encryption"; decisions, sections 2.4 and 3.3). */
export const encryption: DocsScenarios = {
  async getEncryptionStatus(context) {
    const { client, collection } = context;
    await encrypt(context);
    const document = await store(context);
    const { enabled, primaryKeyID, previousKeyIDs, collections } = succeeded(await getEncryptionStatus({ client }));
    expect({ enabled, primaryKeyID, previousKeyIDs }).toEqual({ enabled: true, primaryKeyID: 1, previousKeyIDs: [] });
    // The body and the metadata; the revision does not have its own copy yet.
    expect(collections).toContainEqual({
      collection,
      encrypted: true,
      total: 2,
      withPrimary: 2,
      withLegacy: 0,
      plaintext: 0,
      unknownKey: 0,
    });
    expect(succeeded(await getDocument({ client, body: { collection, key: document.key, lang: 'en' } })).contentMd)
      .toBe(document.contentMd);
  },

  async rotateEncryption(context) {
    const { client, direct, collection } = context;
    await encrypt(context);
    await store(context);
    const job = succeeded(await rotateEncryption({ client, body: { collection } }));
    expect(job).toMatchObject({ primaryKeyID: 1, finishedAt: 0, reencrypted: 0, errors: 0, lastError: '' });
    expect(job.id).toMatch(/^rot_[0-9a-f]{24}$/);
    expect(Math.abs(job.startedAt - now())).toBeLessThan(60);
    refused(await rotateEncryption({ client: direct, body: { collection: '_memory' } }), 400, 'invalid_argument');
    await rotated(context);
  },

  async listEncryptionJobs(context) {
    const { client } = context;
    const id = await rotated(context);
    const { jobs } = succeeded(await listEncryptionJobs({ client }));
    expect(jobs.map((job) => job.id)).toContain(id);
  },

  async getEncryptionJob(context) {
    const { client } = context;
    const id = await rotated(context);
    const job = succeeded(await getEncryptionJob({ client, path: { id } }));
    // Everything is already encrypted with the only key.
    expect(job).toMatchObject({ id, status: 'completed', reencrypted: 0, errors: 0 });
    expect(job.skipped).toBe(job.scanned);
    refused(await getEncryptionJob({ client, path: { id: 'rot_none' } }), 404, 'not_found');
  },
};
