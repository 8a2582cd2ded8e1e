import type { CommandGroup, OperationCommand } from '../operations/catalogue.ts';
import { formatBytes } from '../shared/output.ts';

const JOB = ['id', 'collection', 'status', 'processed', 'total', 'failed', 'submittedAt', 'completedAt'] as const;

export const JOBS: CommandGroup = {
  name: 'jobs',
  summary: 'work of the service in the background',
  commands: [{
    name: 'list',
    operation: 'listBulkIngest',
    items: 'jobs',
    summary: 'list the jobs that load documents, newest first',
    columns: JOB,
  }, { name: 'show', operation: 'getBulkIngest', positions: ['id'], summary: 'show a job' }, {
    name: 'submit',
    operation: 'submitBulkIngest',
    summary: 'queue documents for loading',
    prints: (answer) => String(answer['jobId'] ?? answer['id']),
    examples: ['jobs submit --body documents.json'],
  }, {
    name: 'cancel',
    operation: 'cancelBulkIngest',
    positions: ['id'],
    summary: 'cancel a job; what it has loaded stays',
    asks: ({ id }) => `Cancel the job ${String(id)}?`,
    says: () => ['cancelled'],
  }, {
    name: 'encryption',
    operation: 'listEncryptionJobs',
    items: 'jobs',
    summary: 'list the jobs that re-encrypt bodies',
    columns: ['id', 'collection', 'status', 'scanned', 'reencrypted', 'skipped', 'errors', 'startedAt', 'finishedAt'],
  }],
};

export const NODES: CommandGroup = {
  name: 'node',
  summary: 'the nodes that share a database',
  commands: [{
    name: 'list',
    operation: 'listNodes',
    items: 'nodes',
    without: ['collection'],
    summary: 'list the nodes and how much they hold',
    columns: ['name', 'state', 'weight', ['readyPartitions', 'ready'], ['wantedPartitions', 'wanted'], 'indexBytes',
      'indexLimit', 'position', 'address', 'version'],
  }, {
    name: 'partitions',
    operation: 'listNodes',
    positions: ['collection'],
    items: 'partitions',
    summary: 'list the partitions of a collection, and which nodes have them ready or are meant to',
    columns: ['partition', 'partitions', 'ready', 'wanted'],
    examples: ['node partitions blog'],
  }, {
    name: 'short',
    operation: 'listNodes',
    without: ['collection'],
    items: 'shortPartitions',
    summary: 'list partitions that fewer nodes have ready than wanted, at most 100',
    columns: ['collection', 'partition', 'partitions', 'ready', 'wanted'],
  }, {
    name: 'drain',
    operation: 'drainNode',
    positions: ['name'],
    summary: 'have a node give up what it holds, before it is stopped',
    says: (_, { name }) => [`${String(name)} is draining; quire node list shows when others have what it holds`],
  }, {
    name: 'undrain',
    operation: 'undrainNode',
    positions: ['name'],
    summary: 'have a node hold its share again',
    says: (_, { name }) => [`${String(name)} holds its share again`],
  }],
};

/** Commands without a group: `quire NAME`. */
export const SINGLE: readonly OperationCommand[] = [{
  name: 'whoami',
  operation: 'getCurrentUser',
  summary: 'show whose credential is used',
}, { name: 'health', operation: 'getHealth', summary: 'show whether the service is healthy' }, {
  name: 'stats',
  operation: 'getStats',
  summary: 'show how much the service holds',
}, { name: 'config', operation: 'getConfig', summary: "show the service's settings" }, {
  name: 'audit',
  operation: 'listAuditEvents',
  items: 'events',
  summary: 'list recorded actions and their actors, newest first',
  columns: [['ts', 'when'], 'actor', 'action', 'resource', 'result', 'ip'],
  examples: ['audit --actor alice --result denied', 'audit --from 2026-11-01T00:00:00Z --ndjson'],
}, {
  name: 'backup',
  operation: 'createBackup',
  positions: ['to'],
  summary: 'back the database up, on the machine of the service',
  prints: ({ backup }) => String(backup),
  says: (
    { sizeBytes, verified },
  ) => [`${formatBytes(Number(sizeBytes))}${verified === true ? ', read back and found whole' : ''}`],
}, {
  name: 'restore',
  operation: 'restoreBackup',
  positions: ['from'],
  summary: 'bring a backup back in place of the database',
  asks: ({ from }) => `Put the backup ${String(from)} in the place of everything that the service holds now?`,
  says: (
    { restored },
  ) => [`restored ${String(restored)}; the indexes are rebuilt in the background (quire call getReadiness)`],
}, {
  name: 'import-url',
  operation: 'importUrl',
  positions: ['url'],
  defaults: { lang: 'en' },
  summary: 'fetch a page and store it as a document',
  prints: ({ key }) => String(key),
  examples: ['import-url https://example.org/page -c clippings'],
}, {
  name: 'history',
  operation: 'listRevisions',
  positions: ['collection', 'key'],
  defaults: { lang: 'en' },
  fixed: { includeContent: false },
  summary: 'list the kept versions of a document, newest first',
  columns: ['revision', 'updatedAt', ['meta.title', 'title']],
}, {
  name: 'restore-revision',
  operation: 'restoreRevision',
  positions: ['collection', 'key', 'revision'],
  defaults: { lang: 'en' },
  summary: 'make a kept version the present one',
  asks: ({ key, revision }) => `Put revision ${String(revision)} in the place of what ${String(key)} says now?`,
  says: ({ key }, { revision }) => [`${String(key)} is as in revision ${String(revision)}`],
}, {
  name: 'similar',
  operation: 'findSimilar',
  positions: ['collection', 'key'],
  summary: 'list the documents whose meaning is nearest to that of a document',
  columns: ['score', ['document.key', 'key'], ['document.lang', 'lang'], ['document.meta.title', 'title']],
  examples: ['similar blog hello --limit 5'],
}];
