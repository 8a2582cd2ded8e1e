import { client } from '../../../generated/docs/sdk/client.gen.ts';
import { getConfig, getCurrentUser } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, RequestError } from '../shared/ask.ts';
import { Await, Empty, Page } from '../shared/parts.tsx';
import { place } from '../shared/router.ts';
import { credentialFor, session, signInWanted } from '../shared/session.ts';
import { type NavGroup, type NavItem, Shell } from '../shared/shell.tsx';
import { showToast } from '../shared/toasts.tsx';
import { type Loaded, useLoad } from '../shared/use-load.ts';
import { findCommands } from './places.ts';
import { config, endsSoon, isAdmin, keepSession, leave, userName } from './session-life.ts';
import { issuerFailure } from '../shared/issuer.ts';
import { finishAtIssuer, SignIn } from './sign-in.tsx';
import { PAGES } from './pages.tsx';

/** The console calls the server that it was loaded from, with the credential of this tab. */
client.setConfig({ baseUrl: '', auth: credentialFor });

keepSession();

/** A user who must sign in again, because a token has expired, returns to the page as it was, including changes that are not saved yet. */
export function App() {
  const start = useLoad(begin, []);
  const { user } = start.data ?? {};
  if (start.data === undefined) return signInWanted.value ? <SignIn /> : <Blank start={start} />;
  return (
    <>
      {signInWanted.value && <SignIn />}
      <div hidden={signInWanted.value}>
        <Shell service="Documents" groups={navigation(config.value.authEnabled === true, isAdmin.value)} user={user} onSignOut={() => void leave()} notice={<SessionNotice />} finds="document" commands={findCommands}><CurrentPage /></Shell>
      </div>
    </>
  );
}

/** The configuration says whether users must sign in and which features exist; not every user may read it. */
async function begin(): Promise<{ readonly user?: string }> {
  await finishAtIssuer();
  try {
    config.value = await ask(getConfig());
    if (config.value.authEnabled !== true) return {};
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 403) throw error;
    config.value = { authEnabled: true };
  }
  const { username, admin } = await ask(getCurrentUser());
  isAdmin.value = admin;
  // Another user must not find what the page has of the one before.
  if (userName.value !== '' && userName.value !== username) location.reload();
  userName.value = username;
  if (issuerFailure.value !== undefined) showToast(issuerFailure.value, true);
  issuerFailure.value = undefined;
  return { user: username };
}

function SessionNotice() {
  if (!endsSoon.value || session.value === undefined) return null;
  return <div class="notice warn" role="alert">Your session ends in a few minutes. <button class="plain" onClick={() => { signInWanted.value = true; }}>Sign in again</button></div>;
}

function CurrentPage() {
  const [area = '', ...rest] = place.value.path;
  const Found = PAGES[area];
  return Found === undefined ? <Page title="Nothing here"><Empty>No page has this address. <a href="#/">Go to the start</a></Empty></Page> : <Found key={place.value.path.join('/')} path={rest} />;
}

function Blank({ start }: { readonly start: Loaded<unknown> }) {
  return <main class="sign-in" aria-label="Console"><h1 class="visually-hidden">Quire</h1><Await of={start}>{() => null}</Await></main>;
}

const item = (label: string, icon: NavItem['icon'], under: string): NavItem => ({
  label,
  icon,
  address: `#/${under}`,
  under: under === '' ? ['', 'collections'] : [under],
});

/** The pages that a caller can open: some are for administrators only. */
function navigation(authEnabled: boolean, isAdmin: boolean): readonly NavGroup[] {
  const forAdmin = (...items: readonly NavItem[]): readonly NavItem[] => (isAdmin ? items : []);
  return [{
    items: [item('Collections', 'folder', ''), item('Upload', 'upload', 'upload'), item('Memory', 'chat', 'memory')],
  }, {
    title: 'Integrate',
    items: [item('Jobs', 'jobs', 'jobs'),
      ...forAdmin(item('Webhooks', 'hook', 'webhooks'), item('Automation', 'bolt', 'automation')),
      item('Operations', 'try', 'try')],
  }, {
    title: 'Operate',
    items: [...(authEnabled ? [item('Access', 'people', 'access')] : []),
      ...forAdmin(item('Audit', 'list', 'audit'), item('Encryption', 'lock', 'encryption')),
      item('Metrics', 'chart', 'metrics')],
  }];
}
