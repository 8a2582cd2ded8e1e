import type { RunForgeEvent } from '../../../generated/runs/sdk/types.gen.ts';
import { Badge } from '../shared/parts.tsx';

/** The event of a repository that started a run. Its texts and its address come from strangers. */
export function ForgeEvent({ of: { forge, event, action, branch, tag, title, author, url, pull_request: request, restricted } }: { readonly of: NonNullable<RunForgeEvent> }) {
  const what = request == null ? `${event.replaceAll('_', ' ')} ${tag || branch}` : `pull request #${request.number} ${action}, ${request.head} into ${request.base}`;
  const isAddress = /^https?:\/\//i.test(url);
  return (
    <>
      {what}{author !== '' && ` by ${author}`}{forge === '' ? ', found by polling' : ` at ${forge}`}
      {title !== '' && <div class="small">{isAddress ? <a href={url} rel="noopener noreferrer" target="_blank">{title}</a> : title}</div>}
      {restricted && <Badge tone="warn">{request?.fork === true ? 'code of a fork, without secrets' : 'without secrets'}</Badge>}
    </>
  );
}
