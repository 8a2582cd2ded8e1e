import { getRunSummary } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask, RequestError } from '../shared/ask.ts';
import { Markdown } from '../shared/markdown.tsx';
import { useLoad } from '../shared/use-load.ts';

/** What the steps of a run say of it; nothing for a run without a summary. The text may be a stranger's. */
export function RunSummaryText({ id, state }: { readonly id: string; readonly state: string }) {
  const summary = useLoad((signal) => ask(getRunSummary({ signal, path: { id } })).then(({ data }) => data.content, orNone), [id, state]);
  if (summary.data === undefined || summary.data === '') return null;
  return <section aria-label="Summary"><h2>Summary</h2><div class="card"><Markdown text={summary.data} /></div></section>;
}

function orNone(error: unknown): string {
  if (error instanceof RequestError && error.code === 'not_found') return '';
  throw error;
}
