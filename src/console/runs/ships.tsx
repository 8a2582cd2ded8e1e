import { useState } from 'preact/hooks';
import { createJoinToken, deleteShip, drainShip, listShips, revokeShip, undrainShip } from '../../../generated/runs/sdk/sdk.gen.ts';
import type { JoinToken, LocalWorker, Ship } from '../../../generated/runs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Badge, Confirm, Dialog, Empty, Facts, Field, Page, Time } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { may } from './rights.ts';

const REFRESH_MS = 3000;

/** The machines that execute runs. */
export function ShipsPage() {
  const list = useLoad(async (signal) => ask(listShips({ signal })), []);
  const [joins, setJoins] = useState(false);
  useRefresh(list, REFRESH_MS);
  return (
    <Page title="Ships" about="The machines that execute runs." actions={list.data?.enabled === true && may('createJoinToken') && <button class="primary" onClick={() => setJoins(true)}><Icon name="plus" />Add a ship</button>}>
      <Await of={list}>{({ data, enabled, local }) => (
        <div class="stack">
          <div class="cards">
            {local.enabled && <Local of={local} />}
            {data.map((ship) => <ShipCard key={ship.id} ship={ship} onChange={list.reload} />)}
          </div>
          {!enabled && <Empty>Ships on other machines are off. Set fleet.enabled in the configuration to use them.</Empty>}
          {enabled && data.length === 0 && <Empty>No other machine has joined yet.</Empty>}
        </div>
      )}</Await>
      {joins && <Join onClose={() => setJoins(false)} />}
    </Page>
  );
}

function Load({ running, capacity }: { readonly running: number; readonly capacity: number }) {
  return <div><div class="small muted">{running} of {capacity} slots in use</div><div class="progress" role="meter" aria-label="Load" aria-valuenow={running} aria-valuemin={0} aria-valuemax={capacity}><div style={{ width: `${(running / Math.max(1, capacity)) * 100}%` }} /></div></div>;
}

function Local({ of: { capacity, running, labels } }: { readonly of: LocalWorker }) {
  return <article class="card stack"><div class="row apart"><h2>This server</h2><Badge tone="good">local</Badge></div><Load running={running} capacity={capacity} /><div class="row">{labels.map((label) => <Badge key={label}>{label}</Badge>)}</div></article>;
}

function ShipCard({ ship, onChange }: { readonly ship: Ship; readonly onChange: () => void }) {
  const { id, name, revoked, draining, labels, running, capacity } = ship;
  const change = (action: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    if (await attempt(action, done)) onChange();
  };
  return (
    <article class="card stack">
      <div class="row apart"><h2>{name}</h2><Badge tone={toneOf(ship)}>{stateOf(ship)}</Badge></div>
      <Load running={running} capacity={capacity} />
      <div class="row">{labels.map((label) => <Badge key={label}>{label}</Badge>)}</div>
      <Facts of={[['Platform', ship.platform], ['Version', ship.version], ['Seen', <Time at={ship.last_seen_at} />], ['Certificate', <Time at={ship.cert_expires_at} />]]} />
      {may('drainShip') && <div class="row">
        {!revoked && (draining ? <button onClick={change(() => ask(undrainShip({ path: { id } })), `${name} works again`)}>Let it work</button> : <button onClick={change(() => ask(drainShip({ path: { id } })), `${name} finishes its runs and takes no new ones`)}>Drain</button>)}
        {revoked ? <Confirm label="Remove" says={`Removes ${name} from the list.`} onConfirm={change(() => ask(deleteShip({ path: { id } })), `${name} was removed`)} /> : <Confirm label="Revoke" says={`${name} is disconnected permanently, and its runs are assigned to others. To come back it has to join again.`} onConfirm={change(() => ask(revokeShip({ path: { id } })), `${name} was revoked`)} />}
      </div>}
    </article>
  );
}

function stateOf({ revoked, draining, online }: Ship): string {
  if (revoked) return 'revoked';
  if (draining) return online ? 'draining' : 'drained, offline';
  return online ? 'online' : 'offline';
}

function toneOf(ship: Ship): 'good' | 'warn' | 'bad' | '' {
  if (ship.revoked) return 'bad';
  if (ship.draining) return 'warn';
  return ship.online ? 'good' : '';
}

function Join({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [labels, setLabels] = useState('');
  const [made, setMade] = useState<JoinToken>();
  const create = (): Promise<unknown> => attempt(async () => setMade((await ask(createJoinToken({ body: { name, labels: labels.split(',').map((label) => label.trim()).filter((label) => label !== '') } }))).data));
  return (
    <Dialog title="Add a ship" onClose={onClose}>
      {made === undefined ? (
        <form class="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
          <Field label="Name"><input required autoFocus value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>
          <Field label="Labels" hint="Such as os=linux, gpu=a100; runs choose ships by them"><input value={labels} onInput={(event) => setLabels(event.currentTarget.value)} /></Field>
          <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit">Make a token</button></div>
        </form>
      ) : (
        <div class="stack"><p>Run this on the machine that joins. It is shown once, and expires <Time at={made.expires_at} />.</p><pre class="code">{made.command}</pre></div>
      )}
    </Dialog>
  );
}
