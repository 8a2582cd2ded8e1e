import { listRunStatuses } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Run, RunStatus } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Badge, Time, type Tone } from '../shared/parts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';

const REFRESH_MS = 5000;

/** What the forge of a project shows of a run, and whether it has accepted that; nothing if it shows nothing. */
export function ShownAtForge({ run: { id, state } }: { readonly run: Run }) {
  const list = useLoad(async (signal) => (await ask(listRunStatuses({ signal, path: { id } }))).data, [id, state]);
  useRefresh(list, REFRESH_MS, list.data?.some(({ delivery }) => delivery === 'waiting') === true);
  if (list.data === undefined || list.data.length === 0) return null;
  return (
    <section aria-label="Shown at the forge">
      <h2>Shown at the forge</h2>
      <ul class="card plain-list">{list.data.map((each) => <li key={`${each.kind} ${each.context ?? each.number}`}><StatusLine of={each} /></li>)}</ul>
    </section>
  );
}

const DELIVERED: Readonly<Record<RunStatus['delivery'], readonly [says: string, tone: Tone]>> = {
  delivered: ['delivered', 'good'],
  waiting: ['waiting', 'warn'],
  refused: ['refused', 'bad'],
};

/** One thing that a forge shows, in a line, with the reason if it does not show it yet. */
export function StatusLine({ of }: { readonly of: RunStatus }) {
  const [says, tone] = DELIVERED[of.delivery];
  return (
    <>
      <Badge tone={tone}>{says}</Badge> {whatOf(of)} <span class="muted small">at {of.forge} <Time at={of.updated_at} />{of.failures > 0 && `, failed ${of.failures} times`}{of.next_attempt_at != null && <>, again <Time at={of.next_attempt_at} /></>}</span>
      {of.error != null && <div class="small muted">{of.error}</div>}
    </>
  );
}

function whatOf({ kind, context, state, description, number }: RunStatus) {
  if (kind === 'status') return <><code>{context}</code> {state}{description !== null && description !== state && <span class="muted"> – {description}</span>}</>;
  return kind === 'comment' ? `comment on #${number}` : `${kind} of #${number}`;
}
