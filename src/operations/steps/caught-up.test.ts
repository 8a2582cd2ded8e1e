import { describe, expect, it } from 'vitest';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { throughStep } from '../../testkit/through-step.ts';
import type { Context } from '../index.ts';
import { caughtUp, type Following } from './session.ts';

const context = { signal: new AbortController().signal } as Context;
const ids = Object.keys(operations) as (keyof Operations)[];

/** Ids of the operations that have not returned while the index of words is behind. */
async function waitingFor(words: Following): Promise<string[]> {
  const step = caughtUp({ words });
  const answered = new Set<string>();
  for (const id of ids) {
    void throughStep(step, id, async () => id)({}, context).then(() => answered.add(id), () => undefined);
  }
  await new Promise(setImmediate);
  return ids.filter((id) => !answered.has(id));
}

describe('while an index is behind (design section 5)', () => {
  const lagging = { isCaughtUp: false, caughtUp: () => new Promise<void>(() => undefined) };

  it('what writes documents waits until they can be found, and nothing else does', async () => {
    expect(await waitingFor(lagging)).toEqual(
      expect.arrayContaining(['addDocument', 'addDocuments', 'updateDocument', 'setDocumentTtl', 'deleteDocument',
        'deleteDocuments', 'deleteCollection', 'restoreRevision', 'ingestDocuments', 'startSession', 'addMessage',
        'summarizeSession']),
    );
  });

  it.each(['getHealth', 'getHealthV1', 'getMetrics', 'getStats', 'login', 'getConfig', 'createBackup', 'createApiKey',
    'setPermission', 'setCollectionConfig', 'rotateEncryption', 'truncateRevisions', 'addSynonyms', 'searchFullText',
    'getDocument'])('%s does not wait', async (id) => {
      expect(await waitingFor(lagging)).not.toContain(id);
    });

  it('a response comes when the index has caught up, and a failure at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const step = caughtUp({ words: { isCaughtUp: false, caughtUp: () => promise } });
    const remove = throughStep(step, 'deleteDocument', async () => {
      throw new Error('the disk is away');
    });
    await expect(remove({}, context)).rejects.toThrow('the disk is away');
    const answer = throughStep(step, 'addDocument', async () => 'written')({}, context);
    resolve();
    expect(await answer).toBe('written');
  });
});

it('a write asks no index that has caught up to do so', async () => {
  const view = { isCaughtUp: true, caughtUp: () => Promise.reject(new Error('asked')) };
  const add = throughStep(caughtUp({ words: view }), 'addDocument', async () => 'written');
  expect(await add({}, context)).toBe('written');
});
