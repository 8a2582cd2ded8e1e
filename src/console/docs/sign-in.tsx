import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changePassword, finishOidcSignIn, getCurrentUser, getSignInMethods, login, redeemPasswordReset, startOidcSignIn } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, toRequestError } from '../shared/ask.ts';
import { Field } from '../shared/parts.tsx';
import { signIn } from '../shared/session.ts';
import { SignInPage } from '../shared/shell.tsx';
import { sessionOf } from './session-life.ts';
import { issuerFailure, leaveForIssuer, returnFromIssuer } from '../shared/issuer.ts';

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

/** Goes to the issuer's page. */
const goToIssuer = (): Promise<void> => leaveForIssuer(() => ask(startOidcSignIn()));

/** Signs in with the issuer's response. */
export const finishAtIssuer = (): Promise<void> => returnFromIssuer(async (body) => {
  const { data, error, response } = await finishOidcSignIn({ body });
  if (data === undefined) throw toRequestError(error, response?.status ?? 0);
  signIn(sessionOf(data));
});
