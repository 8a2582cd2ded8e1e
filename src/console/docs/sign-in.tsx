import { useEffect, useState } from 'preact/hooks';
import { changePassword, finishOidcSignIn, getCurrentUser, getSignInMethods, login, startOidcSignIn } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, toRequestError } from '../shared/ask.ts';
import { Field } from '../shared/parts.tsx';
import { signIn } from '../shared/session.ts';
import { SignInPage } from '../shared/sign-in.tsx';

/** State for the return from the issuer's page, stored only for this tab until the browser is back. */
const FLOW = 'quire-sign-in';

/** Signs in with name and password, for which a token is issued, with an API key, or with an OpenID Connect issuer. */
export function SignIn() {
  const [byKey, setByKey] = useState(false);
  const [username, setUsername] = useState('');
  const [secret, setSecret] = useState('');
  /** A token that only permits changing the password. */
  const [first, setFirst] = useState<string>();
  const [newPassword, setNewPassword] = useState('');
  const [error, setError] = useState<string>();
  const [hasIssuer, setHasIssuer] = useState(false);
  const trying = (work: () => Promise<void>) => async (): Promise<void> => {
    setError(undefined);
    await work().catch((failure: unknown) => setError(messageOf(failure)));
  };
  useEffect(() => {
    void getSignInMethods().then(({ data }) => setHasIssuer(data?.oidc === true));
    void trying(finishAtIssuer)();
  }, []);
  const submit = trying(async () => {
    if (byKey) {
      const value = secret.trim();
      await ask(getCurrentUser({ auth: ({ scheme }) => (scheme === 'bearer' ? undefined : value) }));
      return signIn({ kind: 'key', value });
    }
    if (first !== undefined) {
      const { token } = await ask(changePassword({ body: { oldPassword: secret, newPassword }, auth: ({ scheme }) => (scheme === 'bearer' ? first : undefined) }));
      return signIn({ kind: 'token', value: token });
    }
    const { data, error: refused, response } = await login({ body: { username, password: secret } });
    if (data === undefined) throw toRequestError(refused, response?.status ?? 0);
    if (data.mustChangePassword === true) return setFirst(data.token);
    signIn({ kind: 'token', value: data.token });
  });
  if (first !== undefined) {
    return (
      <SignInPage title="Choose a new password" onSubmit={() => void submit()} error={error}>
        <Field label="New password" hint="Your password has to be changed first"><input type="password" autoComplete="new-password" autoFocus required value={newPassword} onInput={(event) => setNewPassword(event.currentTarget.value)} /></Field>
      </SignInPage>
    );
  }
  return (
    <SignInPage title="Sign in" onSubmit={() => void submit()} error={error}>
      {!byKey && <Field label="Name"><input autoComplete="username" autoFocus required value={username} onInput={(event) => setUsername(event.currentTarget.value)} /></Field>}
      <Field label={byKey ? 'API key' : 'Password'}>
        <input type="password" autoComplete={byKey ? 'off' : 'current-password'} required value={secret} onInput={(event) => setSecret(event.currentTarget.value)} />
      </Field>
      <label class="check"><input type="checkbox" checked={byKey} onChange={() => { setByKey(!byKey); setSecret(''); }} />Use an API key</label>
      {hasIssuer && <button type="button" onClick={() => void trying(goToIssuer)()}>Sign in with your organisation</button>}
    </SignInPage>
  );
}

async function goToIssuer(): Promise<void> {
  const { url, flow } = await ask(startOidcSignIn());
  sessionStorage.setItem(FLOW, flow);
  location.assign(url);
}

/** Runs after the issuer has redirected the browser back; removes its response from the URL. */
async function finishAtIssuer(): Promise<void> {
  const flow = sessionStorage.getItem(FLOW);
  const query = location.search.slice(1);
  if (flow === null || !/(?:^|&)state=/.test(query)) return;
  sessionStorage.removeItem(FLOW);
  history.replaceState(null, '', location.pathname + location.hash);
  const { data, error, response } = await finishOidcSignIn({ body: { flow, query } });
  if (data === undefined) throw toRequestError(error, response?.status ?? 0);
  signIn({ kind: 'token', value: data.token });
}
