import { listForges } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { Forge } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { CopyText } from '../shared/copy-text.tsx';
import { Await, Badge, Empty, Facts, Page, Time, type Tone } from '../shared/parts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';

const REFRESH_MS = 10_000;

/** The servers of repositories, and how calls to their APIs are doing. */
export function ForgesPage() {
  const list = useLoad(async (signal) => (await ask(listForges({ signal }))).data, []);
  useRefresh(list, REFRESH_MS);
  return (
    <Page title="Forges" about="Servers of repositories: their webhooks queue runs, and they show statuses. The page of a project has what it and its forge know of each other.">
      <Await of={list}>{(forges) => (forges.length === 0 ? <Empty>No forge is configured. <code>forges</code> of the configuration lists them.</Empty> : (
        <div class="cards wide">{forges.map((forge) => <article key={forge.name} class="card stack"><div class="row apart"><h2>{forge.name}</h2><ForgeState of={forge} /></div><ForgeFacts of={forge} /></article>)}</div>
      ))}</Await>
    </Page>
  );
}

const STATES: Readonly<Record<Forge['state'], readonly [says: string, tone: Tone]>> = {
  ok: ['ok', 'good'],
  failing: ['failing', 'bad'],
  no_token: ['no token', 'warn'],
  no_api: ['no API', ''],
};

export function ForgeState({ of: { state } }: { readonly of: Forge }) {
  const [says, tone] = STATES[state] ?? [state, ''];
  return <Badge tone={tone}>{says}</Badge>;
}

/** What is known of a forge, with the address for its webhooks. */
export function ForgeFacts({ of }: { readonly of: Forge }) {
  return (
    <Facts of={[
      ['Kind', of.kind],
      ...(of.url === null ? [] : [['Address', of.url] as const]),
      ['Webhook', of.webhook_url === null ? <span class="muted">refused: <code>webhook_secret</code> is not configured, or has no value</span> : <CopyText text={new URL(of.webhook_url, location.href).href} label="Copy the address for webhooks" />],
      ['Token', TOKENS[of.state] ?? 'is known'],
      ['Last sent', <Time at={of.last_sent_at} />],
      ['Waiting', `${of.waiting}${of.refused > 0 ? `, ${of.refused} refused` : ''}`],
      ...(of.last_error === null ? [] : [['Last error', <><span class="bad-text">{of.last_error}</span> {of.last_error_at !== null && <Time at={of.last_error_at} />}</>] as const]),
    ]} />
  );
}

const TOKENS: Readonly<Partial<Record<Forge['state'], string>>> = {
  no_token: 'is not configured, or its secret has no value: nothing is shown at the forge',
  no_api: 'needs none: git has no API',
};
