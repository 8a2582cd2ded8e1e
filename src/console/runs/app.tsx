import { client } from '../../../generated/runs/sdk/client.gen.ts';
import { useState } from 'preact/hooks';
import { listPipelines } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask, messageOf } from '../shared/ask.ts';
import { Empty, Field, Page } from '../shared/parts.tsx';
import { place } from '../shared/router.ts';
import { credentialFor, session, signIn, signInWanted, signOut } from '../shared/session.ts';
import { type NavGroup, Shell, SignInPage } from '../shared/shell.tsx';
import { findCommands } from './places.ts';
import { PAGES } from './pages.tsx';

/** The console calls the server that it was loaded from, with the credential of this tab. */
client.setConfig({ baseUrl: '', auth: credentialFor });

const GROUPS: readonly NavGroup[] = [
  { items: [
    { label: 'Runs', icon: 'play', address: '#/', under: ['', 'runs'] },
    { label: 'Submit', icon: 'plus', address: '#/submit', under: ['submit'] },
    { label: 'Ships', icon: 'ship', address: '#/ships', under: ['ships'] },
    { label: 'Projects', icon: 'folder', address: '#/projects', under: ['projects'] },
    { label: 'Schedules', icon: 'jobs', address: '#/schedules', under: ['schedules'] },
    { label: 'Notifications', icon: 'hook', address: '#/notifications', under: ['notifications'] },
  ] },
  { title: 'Operate', items: [
    { label: 'Audit', icon: 'list', address: '#/audit', under: ['audit'] },
    { label: 'Metrics', icon: 'chart', address: '#/metrics', under: ['metrics'] },
    { label: 'Operations', icon: 'try', address: '#/try', under: ['try'] },
  ] },
];

export function App() {
  return (
    <>
      {signInWanted.value && <SignIn />}
      <div hidden={signInWanted.value}>
        <Shell service="Runs" groups={GROUPS} user={session.value === undefined ? undefined : 'Signed in'} onSignIn={() => { signInWanted.value = true; }} onSignOut={() => signOut()} finds="run" commands={findCommands}>
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

/** Signs in with an API token. If reading is open, a token is needed only for changes. */
function SignIn() {
  const [token, setToken] = useState('');
  const [error, setError] = useState<string>();
  const submit = async (): Promise<void> => {
    const value = token.trim();
    try {
      await ask(listPipelines({ auth: value }));
      signIn({ kind: 'token', value });
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <SignInPage title="Sign in" error={error} onSubmit={() => void submit()} onCancel={() => { signInWanted.value = false; }}>
      <Field label="API token" hint="The value of the variable that runtime.api_token_env of the configuration names (RUNS_API_TOKEN in the example), or a token of `tokens`"><input type="password" autoComplete="off" autoFocus required value={token} onInput={(event) => setToken(event.currentTarget.value)} /></Field>
    </SignInPage>
  );
}
