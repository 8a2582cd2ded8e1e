import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { changePassword, finishOidcSignIn, getCurrentUser, getSignInMethods, login, redeemPasswordReset, startOidcSignIn } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, toRequestError } from '../shared/ask.ts';
import { Field } from '../shared/parts.tsx';
import { signIn } from '../shared/session.ts';
import { SignInPage } from '../shared/shell.tsx';
import { sessionOf } from './session-life.ts';
import { leaveSafely } from '../shared/router.ts';

type Way = 'password' | 'key' | 'reset';

/** Labels of the buttons that lead to the ways of signing in. */
const OTHERS: readonly (readonly [Way, string])[] = [['password', 'Use name and password'], ['key', 'Use an API key'], ['reset', 'Set a new password with a token']];

/** Signs in with name and password, for which a token is issued, with an API key, with an OpenID Connect issuer, or after setting a new password. */
export function SignIn() {
  const [way, setWay] = useState<Way>('password');
  const [hasIssuer, setHasIssuer] = useState(false);
  const [error, setError] = useState(issuerFailure.value);
  const trying = (work: () => Promise<void>) => (): void => {
    issuerFailure.value = undefined;
    setError(undefined);
    work().catch((failure: unknown) => setError(messageOf(failure)));
  };
  useEffect(() => {
    void getSignInMethods().then(({ data }) => setHasIssuer(data?.oidc === true));
  }, []);
  const change = (to: Way): void => {
    setError(undefined);
    setWay(to);
  };
  const Form = FORMS[way];
  return (
    <Form trying={trying} error={error}>
      {hasIssuer && <button type="button" onClick={trying(goToIssuer)}>Sign in with your organisation</button>}
      <div class="row">{OTHERS.filter(([name]) => name !== way).map(([name, label]) => <button key={name} type="button" class="plain small" onClick={() => change(name)}>{label}</button>)}</div>
    </Form>
  );
}

interface FormProps {
  /** Runs an action and shows why it failed. */
  readonly trying: (work: () => Promise<void>) => () => void;
  readonly error: string | undefined;
  /** What is below the fields. */
  readonly children: ComponentChildren;
}

function ByPassword({ trying, error, children }: FormProps) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  /** A token that only permits changing the password. */
  const [first, setFirst] = useState<string>();
  const [newPassword, setNewPassword] = useState('');
  const submit = trying(async () => {
    const { data, error: refused, response } = await login({ body: { username, password } });
    if (data === undefined) throw toRequestError(refused, response?.status ?? 0);
    if (data.mustChangePassword === true) return setFirst(data.token);
    signIn(sessionOf(data));
  });
  const choose = trying(async () => {
    const { data, error: refused, response } = await changePassword({ body: { oldPassword: password, newPassword }, auth: ({ scheme }) => (scheme === 'bearer' ? first : undefined) });
    if (data === undefined) throw toRequestError(refused, response?.status ?? 0);
    signIn(sessionOf(data));
  });
  if (first !== undefined) {
    return (
      <SignInPage key="choose" title="Choose a new password" onSubmit={choose} error={error}>
        <Secret label="New password" hint="Your password has to be changed first" isNew value={newPassword} onInput={setNewPassword} />
      </SignInPage>
    );
  }
  return (
    <SignInPage title="Sign in" onSubmit={submit} error={error} more={children}>
      <Name value={username} onInput={setUsername} />
      <Secret label="Password" value={password} onInput={setPassword} />
    </SignInPage>
  );
}

function ByKey({ trying, error, children }: FormProps) {
  const [key, setKey] = useState('');
  const submit = trying(async () => {
    const value = key.trim();
    await ask(getCurrentUser({ auth: ({ scheme }) => (scheme === 'bearer' ? undefined : value) }));
    signIn({ kind: 'key', value });
  });
  return (
    <SignInPage title="Sign in with a key" onSubmit={submit} error={error} more={children}>
      <Field label="API key"><input type="password" autoComplete="off" autoFocus required value={key} onInput={(event) => setKey(event.currentTarget.value)} /></Field>
    </SignInPage>
  );
}

/** Redeems a token that an administrator has made. */
function ByReset({ trying, error, children }: FormProps) {
  const [username, setUsername] = useState('');
  const [token, setToken] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const submit = trying(async () => {
    const { data, error: refused, response } = await redeemPasswordReset({ body: { username, token: token.trim(), newPassword } });
    if (data === undefined) throw toRequestError(refused, response?.status ?? 0);
    signIn(sessionOf(await ask(login({ body: { username, password: newPassword } }))));
  });
  return (
    <SignInPage title="Set a new password" onSubmit={submit} error={error} more={children}>
      <Name value={username} onInput={setUsername} />
      <Field label="Token" hint="From an administrator; it works once"><input autoComplete="off" required value={token} onInput={(event) => setToken(event.currentTarget.value)} /></Field>
      <Secret label="New password" isNew value={newPassword} onInput={setNewPassword} />
    </SignInPage>
  );
}

const FORMS = { password: ByPassword, key: ByKey, reset: ByReset };

function Name({ value, onInput }: { readonly value: string; readonly onInput: (value: string) => void }) {
  return <Field label="Name"><input autoComplete="username" autoFocus required value={value} onInput={(event) => onInput(event.currentTarget.value)} /></Field>;
}

function Secret({ label, hint, isNew = false, value, onInput }: { readonly label: string; readonly hint?: string; readonly isNew?: boolean; readonly value: string; readonly onInput: (value: string) => void }) {
  return <Field label={label} hint={hint}><input type="password" autoComplete={isNew ? 'new-password' : 'current-password'} required value={value} onInput={(event) => onInput(event.currentTarget.value)} /></Field>;
}

/** State for the return from the issuer's page, stored only for this tab until the browser is back. */
const FLOW = 'quire-sign-in';

/** Why the last sign-in at the issuer failed, until it is shown to a user who is signed in or who tries again. */
export const issuerFailure = signal<string | undefined>(undefined);

interface Flow {
  readonly flow: string;
  /** The place of the console to return to. */
  readonly hash: string;
}

/** Goes to the issuer's page. Changes that are not saved yet are kept in this tab. */
async function goToIssuer(): Promise<void> {
  const { url, flow } = await ask(startOidcSignIn());
  sessionStorage.setItem(FLOW, JSON.stringify({ flow, hash: location.hash } satisfies Flow));
  leaveSafely(url);
}

/**
 * Finishes a sign-in if the issuer has just redirected the browser back, and removes its response from the URL. It runs
 * before the page asks for anything: a user who signs in again before the session has ended still has a valid token.
 */
export async function finishAtIssuer(): Promise<void> {
  const kept = sessionStorage.getItem(FLOW);
  const query = location.search.slice(1);
  if (kept === null || !/(?:^|&)state=/.test(query)) return;
  sessionStorage.removeItem(FLOW);
  const { flow, hash } = JSON.parse(kept) as Flow;
  history.replaceState(null, '', location.pathname);
  location.hash = hash;
  issuerFailure.value = await finish(flow, query).catch(messageOf);
}

/** Throws if the sign-in was refused, by the issuer or by the service. */
async function finish(flow: string, query: string): Promise<undefined> {
  const refusal = new URLSearchParams(query).get('error');
  if (refusal !== null) throw new Error(`your organisation has refused the sign-in (${refusal})`);
  const { data, error, response } = await finishOidcSignIn({ body: { flow, query } });
  if (data === undefined) throw toRequestError(error, response?.status ?? 0);
  signIn(sessionOf(data));
}
