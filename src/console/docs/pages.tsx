import type { ComponentType } from 'preact';
import { client } from '../../../generated/docs/sdk/client.gen.ts';
import { OperationsPage, readDescription, sendFreely } from '../shared/operations-page.tsx';
import { AccessPage } from './access/page.tsx';
import { AuditPage } from './audit.tsx';
import { AutomationPage } from './automation.tsx';
import { DeletedPage } from './collection/deleted.tsx';
import { CollectionPage } from './collection/page.tsx';
import { CollectionsPage } from './collections.tsx';
import { DocumentPage } from './document/page.tsx';
import { EncryptionPage } from './encryption.tsx';
import { JobsPage } from './jobs.tsx';
import { VectorMapPage } from './map/page.tsx';
import { MemoryPage } from './memory.tsx';
import { MetricsPage } from './metrics.tsx';
import { UploadPage } from './upload.tsx';
import { WebhooksPage } from './webhooks.tsx';

export interface PageOf {
  /** The parts of the place after the first one. */
  readonly path: readonly string[];
}

/** Pages of a collection, by the part after its name. */
const VIEWS: Readonly<Record<string, ComponentType<{ readonly collection: string }>>> = { document: DocumentPage, map: VectorMapPage, deleted: DeletedPage };

/** Pages by the first part of their place. */
export const PAGES: Readonly<Record<string, ComponentType<PageOf>>> = {
  '': CollectionsPage,
  collections: ({ path: [collection = '', view = ''] }) => {
    const View = VIEWS[view] ?? CollectionPage;
    return <View collection={collection} />;
  },
  upload: UploadPage,
  memory: MemoryPage,
  jobs: JobsPage,
  webhooks: WebhooksPage,
  automation: AutomationPage,
  access: AccessPage,
  audit: AuditPage,
  encryption: EncryptionPage,
  metrics: MetricsPage,
  try: () => <OperationsPage load={() => readDescription(client)} send={(request) => sendFreely(client, request)} />,
};
