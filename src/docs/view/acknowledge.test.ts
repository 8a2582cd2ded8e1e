import { describe, expect, it } from 'vitest';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import type { Context } from '../../operations/index.ts';
import { acknowledgeCaughtUp, type Following } from './acknowledge.ts';

type Handlers = Parameters<typeof acknowledgeCaughtUp>[0];
type AnyHandler = (input: object, context: Context) => Promise<unknown>;

const context = { signal: new AbortController().signal } as Context;
const ids = Object.keys(operations) as (keyof Operations)[];

/** Ids of the operations that have not returned while the index is behind. */
async function waitingFor(view: Following): Promise<string[]> {
  const plain = Object.fromEntries(ids.map((id) => [id, async () => id])) as unknown as Handlers;
  const handlers = acknowledgeCaughtUp(plain, view) as unknown as Record<string, AnyHandler>;
  const answered = new Set<string>();
  for (const id of ids) void handlers[id]!({}, context).then(() => answered.add(id), () => undefined);
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
    const handlers = acknowledgeCaughtUp({
      addDocument: async () => 'written',
      deleteDocument: async () => {
        throw new Error('the disk is away');
      },
    } as unknown as Handlers, { isCaughtUp: false, caughtUp: () => promise }) as unknown as Record<string, AnyHandler>;
    await expect(handlers['deleteDocument']!({}, context)).rejects.toThrow('the disk is away');
    const answer = handlers['addDocument']!({}, context);
    resolve();
    expect(await answer).toBe('written');
  });
});

it('a write asks no index that has caught up to do so', async () => {
  const view = { isCaughtUp: true, caughtUp: () => Promise.reject(new Error('asked')) };
  const handlers = acknowledgeCaughtUp({ addDocument: async () => 'written' } as unknown as Handlers,
    view) as unknown as Record<string, AnyHandler>;
  expect(await handlers['addDocument']!({}, context)).toBe('written');
});
