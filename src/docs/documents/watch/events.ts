import { ServiceError } from '../../../errors/index.ts';
import { type Change, CHANGE_FLAGS } from '../../../storage/index.ts';

type DocumentEventName = 'doc.added' | 'doc.updated' | 'doc.deleted' | 'collection.deleted';

/** A change of a document or, with empty `key`, `lang` and `docId`, of a collection. */
export interface DocumentEvent {
  readonly event: DocumentEventName;
  /** Lowercased. */
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
  readonly docId: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /**
   * `reason` of a deletion that no request caused, or the number of documents that were `deleted` with a collection.
   */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Number of the change in the feed. */
  readonly seq: number;
}

export const DOCUMENT_EVENTS: readonly DocumentEventName[] = ['doc.added', 'doc.updated', 'doc.deleted'];
const ALL: readonly DocumentEventName[] = [...DOCUMENT_EVENTS, 'collection.deleted'];

/** Other names of the events (decisions, section 6). */
const ALIASES: Readonly<Record<string, DocumentEventName>> = {
  insert: 'doc.added',
  'doc.add': 'doc.added',
  update: 'doc.updated',
  'doc.update': 'doc.updated',
  delete: 'doc.deleted',
  'doc.delete': 'doc.deleted',
};

/** The name that an alias stands for; other names are returned as they are. */
export function canonicalName(name: string): string {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;
}

/**
 * The events that the names stand for; all events without names. Throws `invalid_argument` for a name that would never
 * match.
 */
export function eventsNamed(names: readonly string[]): ReadonlySet<DocumentEventName> {
  const events = new Set<DocumentEventName>(names.length === 0 ? ALL : []);
  for (const name of names) {
    const known = name === '*' ? DOCUMENT_EVENTS : ALL.filter((event) => event === canonicalName(name));
    if (known.length === 0)
      throw new ServiceError('invalid_argument',
        `events must name ${ALL.join(', ')} or *, got ${JSON.stringify(name.slice(0, 80))}`);
    for (const event of known) events.add(event);
  }
  return events;
}

/** The event of a change; undefined when watchers get none, as for a configuration. */
export function eventOf(change: Change): DocumentEvent | undefined {
  const event = nameOf(change);
  if (event === undefined) return undefined;
  const { collection, key = '', lang = '', docId = '', at, lsn, detail } = change;
  return {
    event,
    collection,
    key,
    lang,
    docId,
    seq: lsn,
    timestamp: Math.floor(at / 1000),
    detail: detail === undefined ? undefined : JSON.parse(detail) as Record<string, unknown>,
  };
}

function nameOf({ kind, flags }: Change): DocumentEventName | undefined {
  if (kind === 'doc.put') return (flags & CHANGE_FLAGS.CREATED) === 0 ? 'doc.updated' : 'doc.added';
  if (kind === 'doc.delete') return 'doc.deleted';
  return kind === 'collection.delete' ? 'collection.deleted' : undefined;
}
