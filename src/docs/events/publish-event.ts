import type { DocsEnvironment } from '../environment.ts';

/**
 * Appends an event of the server to the change feed, from which webhooks and streams receive it. Neither throws nor
 * waits; a read-only server appends nothing.
 */
export function publishEvent({ sql, feed, log, settings }: Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'settings'>,
  kind: `${string}.${string}`, detail: object): void
{
  if (settings.mode === 'read') return;
  sql.transaction((tx) => feed.append(tx, [{ kind, collection: '', detail: JSON.stringify(detail) }])).catch((
    error: unknown,
  ) => log.error({ err: error, event: kind }, 'an incident could not be sent to webhooks'));
}
