import { useState } from 'preact/hooks';
import { getCurrentUser, login } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, toRequestError } from '../shared/ask.ts';
import { Field } from '../shared/parts.tsx';
import { signIn } from '../shared/session.ts';
import { SignInPage } from '../shared/sign-in.tsx';

/** By name and password, which become a token, or with an API key. */
export function SignIn() {
  const [byKey, setByKey] = useState(false);
  const [username, setUsername] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<string>();
  const submit = async (): Promise<void> => {
    setError(undefined);
    try {
      if (byKey) {
        const value = secret.trim();
        await ask(getCurrentUser({ auth: ({ scheme }) => (scheme === 'bearer' ? undefined : value) }));
        return signIn({ kind: 'key', value });
      }
      const { data, error: refused, response } = await login({ body: { username, password: secret } });
      if (data === undefined) throw toRequestError(refused, response?.status ?? 0);
      signIn({ kind: 'token', value: data.token });
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <SignInPage title="Sign in" onSubmit={() => void submit()} error={error}>
      {!byKey && <Field label="Name"><input autoComplete="username" autoFocus required value={username} onInput={(event) => setUsername(event.currentTarget.value)} /></Field>}
      <Field label={byKey ? 'API key' : 'Password'}>
        <input type="password" autoComplete={byKey ? 'off' : 'current-password'} required value={secret} onInput={(event) => setSecret(event.currentTarget.value)} />
      </Field>
      <label class="check"><input type="checkbox" checked={byKey} onChange={() => { setByKey(!byKey); setSecret(''); }} />Use an API key</label>
    </SignInPage>
  );
}
