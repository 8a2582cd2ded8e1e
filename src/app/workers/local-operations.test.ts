import { expect, it } from 'vitest';
import { localOperations } from './local-operations.ts';

it('workers answer reads of documents and searches, and nothing that writes or that only the primary knows', () => {
  const local = localOperations({ notesReads: false });
  const ids = local.map(({ id }) => id);
  expect(local.filter(({ effect }) => effect !== 'read')).toEqual([]);
  expect(ids).toEqual(
    expect.arrayContaining(['getDocument', 'searchDocuments', 'searchFullText', 'searchVectors', 'searchHybrid',
      'searchGeo', 'recallMemory']),
  );
  for (const id of ['addDocument', 'login', 'getCurrentUser', 'streamEvents', 'listAuditEvents', 'getHealth',
    'getMetrics', 'getVectorStats', 'getBulkIngest', 'queryTemporal', 'listWebhooks']) expect(ids).not.toContain(id);
  expect(localOperations({ notesReads: true }).map(({ id }) => id)).toEqual(ids.filter((id) => id !== 'getDocument'));
});
