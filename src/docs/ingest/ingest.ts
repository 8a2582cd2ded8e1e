import type { Registry } from 'prom-client';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Converter } from '../../convert/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { createOutbound, type Outbound } from '../../net/index.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Access } from '../access/index.ts';
import type { Collections } from '../collections/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type BulkJobs, createBulkJobs } from './bulk/index.ts';
import { importUrl } from './import-url.ts';
import { importDocuments } from './import/import-documents.ts';
import { ingestDocuments } from './ingest-documents.ts';
import { uploadFiles } from './upload-files.ts';
import { importWiki } from './wiki/import-wiki.ts';

/** Loading documents in bulk. */
export interface Ingest {
  readonly handlers: BulkJobs['handlers'] & Required<
    Pick<Handlers<Operations>, 'ingestDocuments' | 'importDocuments' | 'importWiki'>
  > & Pick<Handlers<Operations>, 'uploadFiles' | 'importUrl'>;
  readonly jobs: Omit<BulkJobs, 'handlers'>;
  /** Continues the existing jobs; harmless when repeated. Not for read-only servers. */
  work(): void;
  wake(): void;
  restart(): Promise<void>;
  stop(): Promise<void>;
  registerMetrics(registers: Registry[]): void;
}

interface IngestAreas {
  readonly collections: Pick<Collections, 'configOf' | 'configure'>;
  readonly documents: Pick<Documents, 'writer' | 'handlers'>;
  /** Tells what users may do whose jobs are loaded; if it is absent, jobs are loaded with all rights. */
  readonly access?: Pick<Access, 'standingOf'>;
  /** Resolves when everything written so far can be found; if it is absent, imports do not wait. */
  readonly caughtUp?: (signal: AbortSignal) => Promise<void>;
  /** Sends requests to addresses that users gave; default: public and loopback addresses are allowed. */
  readonly outbound?: Pick<Outbound, 'fetch' | 'sender' | 'refusal'>;
  readonly timer?: Timer | undefined;
  /** Converts files to markdown; without it there are neither uploads nor imports. */
  readonly converter?: Converter | undefined;
}

export function createIngest(environment: DocsEnvironment, areas: IngestAreas): Ingest {
  const { collections, documents: { writer, handlers: { getDocument } },
    outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] }), timer, converter, access,
    caughtUp = async () => undefined } = areas;
  const limits = environment.settings.wiki ?? { maxPages: 500_000, maxBytes: 4 * 1024 ** 3 };
  const jobs = createBulkJobs(environment, { writer, outbound, timer, access });
  return {
    jobs,
    work: () => jobs.start(),
    wake: () => jobs.wake(),
    restart: async () => jobs.wake(),
    stop: () => jobs.stop(),
    registerMetrics: (registers) => jobs.registerMetrics(registers),
    handlers: {
      ...jobs.handlers,
      ingestDocuments: ingestDocuments({ sql: environment.sql, collections, writer }),
      importDocuments: importDocuments({ writer, caughtUp, log: environment.log }),
      importWiki: importWiki({ sql: environment.sql, writer, outbound, limits }),
      ...(converter && {
        uploadFiles: uploadFiles({ converter, writer, getDocument }),
        importUrl: importUrl({ converter, outbound, writer, getDocument, version: environment.settings.buildVersion }),
      }),
    },
  };
}
