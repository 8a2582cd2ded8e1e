import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Collections } from '../collections/index.ts';
import type { EmbeddingCapacity, UnitOfWork } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';

/** The system collection that messages and summaries are documents of. */
export const MEMORY = '_memory';

export type MemoryHandlers = Required<
  Pick<Handlers<Operations>,
    'startSession' | 'addMessage' | 'recallMemory' | 'summarizeSession' | 'listSessions' | 'getSessionHistory'
      | 'deleteSession'>
>;

/** Dependencies of the handlers of conversations. */
export interface MemoryDeps extends Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock'> {
  readonly embeddingCapacity: EmbeddingCapacity;
  /** What encrypts messages and summaries while `_memory` is encrypted. */
  readonly sealerOf?: UnitOfWork['sealerOf'];
  readonly collections: Pick<Collections, 'configOf'>;
  /** Whether stored documents get a vector. */
  readonly isEmbedding: () => boolean;
  /** The language of stored messages, because requests do not state one. */
  readonly lang: string;
}

/** An id of a session, message or summary. */
export function newId(kind: 'ses' | 'msg' | 'sum'): string {
  return `${kind}_${randomBytes(12).toString('hex')}`;
}
