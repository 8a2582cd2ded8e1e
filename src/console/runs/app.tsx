import { client } from '../../../generated/runs/sdk/client.gen.ts';
import { issuerFailure } from '../shared/issuer.ts';
import { Empty, Page } from '../shared/parts.tsx';
import { place } from '../shared/router.ts';
import { credentialFor, session, signInWanted } from '../shared/session.ts';
import { type NavGroup, Shell } from '../shared/shell.tsx';
import { useLoad } from '../shared/use-load.ts';
import { caller, leave, loadCaller } from './caller.ts';
import { findCommands } from './places.ts';
import { PAGES } from './pages.tsx';
import { may } from './rights.ts';
import { finishAtIssuer, SignIn } from './sign-in.tsx';

/** The console calls the server that it was loaded from, with the credential of this tab. */
client.setConfig({ baseUrl: '', auth: credentialFor });

/** The places that the caller may see. */
const groups = (): readonly NavGroup[] => [
  { items: [
    { label: 'Runs', icon: 'play', address: '#/', under: ['', 'runs'] },
    ...(may('enqueueRun') ? [{ label: 'Submit', icon: 'plus', address: '#/submit', under: ['submit'] } as const] : []),
    { label: 'Search logs', icon: 'search', address: '#/search', under: ['search'] },
    { label: 'Ships', icon: 'ship', address: '#/ships', under: ['ships'] },
    { label: 'Projects', icon: 'folder', address: '#/projects', under: ['projects'] },
    { label: 'Schedules', icon: 'jobs', address: '#/schedules', under: ['schedules'] },
    ...(may('listForgeDeliveries') ? [{ label: 'Deliveries', icon: 'hook', address: '#/deliveries', under: ['deliveries'] } as const] : []),
    ...(may('listForges') ? [{ label: 'Forges', icon: 'forge', address: '#/forges', under: ['forges'] } as const] : []),
    ...(may('listNotifications') ? [{ label: 'Notifications', icon: 'bolt', address: '#/notifications', under: ['notifications'] } as const] : []),
  ] },
  { title: 'Operate', items: [
    ...(may('listAudit') ? [{ label: 'Audit', icon: 'list', address: '#/audit', under: ['audit'] } as const] : []),
    { label: 'Metrics', icon: 'chart', address: '#/metrics', under: ['metrics'] },
    { label: 'Operations', icon: 'try', address: '#/try', under: ['try'] },
  ] },
];

export function App() {
  const start = useLoad(begin, []);
  if (start.data === undefined) return null;
  return (
    <>
      {signInWanted.value && <SignIn />}
      <div hidden={signInWanted.value}>
        <Shell service="Runs" groups={groups()} user={session.value === undefined ? undefined : caller.value?.name.replace(/^user:/, '') ?? 'Signed in'} onSignIn={() => { signInWanted.value = true; }} onSignOut={() => void leave()} finds="run" commands={findCommands}>
          <CurrentPage />
        </Shell>
      </div>
    </>
  );
}

function CurrentPage() {
  const [area = '', ...rest] = place.value.path;
  const Found = PAGES[area];
  return Found === undefined ? <Page title="Nothing here"><Empty>No page has this address. <a href="#/">Go to the start</a></Empty></Page> : <Found key={place.value.path.join('/')} path={rest} />;
}

/** Finishes a sign-in at the issuer before the first page asks for anything. */
async function begin(): Promise<true> {
  await finishAtIssuer();
  // Without a caller, pages show what there is for everybody, and a token that has ended is asked for again.
  await loadCaller().catch(() => undefined);
  // A failure of the issuer is shown where somebody can try again.
  if (issuerFailure.value !== undefined && session.value === undefined) signInWanted.value = true;
  return true;
}
