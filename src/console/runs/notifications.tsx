import { listNotificationDeadLetters, listNotifications, redeliverNotifications } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { Await, Empty, Page, Table, Time } from '../shared/parts.tsx';
import { attempt } from '../shared/toasts.tsx';
import { useLoad, useRefresh } from '../shared/use-load.ts';
import { runAt, shortId } from './places.ts';
import { may } from './rights.ts';

const REFRESH_MS = 10_000;

/** The webhooks that are notified of runs, and what they did not accept. */
export function NotificationsPage() {
  const hooks = useLoad(async (signal) => (await ask(listNotifications({ signal }))).data, []);
  const letters = useLoad(async (signal) => (await ask(listNotificationDeadLetters({ signal }))).data, []);
  useRefresh(hooks, REFRESH_MS);
  const redeliver = async (name: string, delivery?: string): Promise<void> => {
    if (!await attempt(() => ask(redeliverNotifications({ path: { name }, body: { delivery_id: delivery } })), 'Queued again')) return;
    hooks.reload();
    letters.reload();
  };
  return (
    <Page title="Notifications" about="Webhooks that are notified of runs; notifications.webhooks of the configuration lists them.">
      <div class="stack">
        <Await of={hooks}>{(data) => (data.length === 0 ? <Empty>No webhook is configured.</Empty> : (
          <Table label="Webhooks" isBrief columns={['Webhook', 'Projects', 'Notified of', 'Waiting#', 'Dead letters#', 'Last error', '']}>
            {data.map(({ name, host, projects, states, waiting, dead_letters: dead, last_error: error }) => (
              <tr key={name}>
                <td class="name">{name} <span class="small muted">{host}</span></td><td class="wide-only">{projects?.join(', ') ?? 'all'}</td><td class="wide-only">{states.join(', ')}</td><td class="num titled">{waiting}</td><td class="num titled">{dead}</td><td>{error}</td>
                <td class="actions">{dead > 0 && may('redeliverNotifications') && <button onClick={() => void redeliver(name)}>Deliver all again</button>}</td>
              </tr>
            ))}
          </Table>
        ))}</Await>
        <Await of={letters}>{(data) => data.length > 0 && (
          <section>
            <h2>Dead letters</h2>
            <Table label="Dead letters" isBrief columns={['Run', 'Webhook', 'Event', 'Happened', 'Attempts#', 'Error', '']}>
              {data.map(({ delivery_id: id, webhook, event, run_id: run, timestamp, attempts, error }) => (
                <tr key={id}>
                  <td class="name"><a href={runAt(run)}>{shortId(run)}</a></td><td class="wide-only">{webhook}</td><td class="top">{event}</td><td class="when"><Time at={timestamp} /></td><td class="num wide-only">{attempts}</td><td>{error}</td>
                  <td class="actions"><button onClick={() => void redeliver(webhook, id)}>Deliver again</button></td>
                </tr>
              ))}
            </Table>
          </section>
        )}</Await>
      </div>
    </Page>
  );
}
