import { useEffect, useState } from 'preact/hooks';
import { finishOidcSignIn, getSignInMethods, listPipelines, startOidcSignIn } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask, messageOf } from '../shared/ask.ts';
import { issuerFailure, leaveForIssuer, returnFromIssuer } from '../shared/issuer.ts';
import { Field } from '../shared/parts.tsx';
import { signIn, signInWanted } from '../shared/session.ts';
import { SignInPage } from '../shared/shell.tsx';

/** Signs in with an API token, or at the issuer. If reading is open, that is needed only for changes. */
export function SignIn() {
  const [token, setToken] = useState('');
  const [hasIssuer, setHasIssuer] = useState(false);
  const [error, setError] = useState(issuerFailure.value);
  const trying = (work: () => Promise<void>) => (): void => {
    issuerFailure.value = undefined;
    setError(undefined);
    work().catch((failure: unknown) => setError(messageOf(failure)));
  };
  const submit = trying(async () => {
    const value = token.trim();
    await ask(listPipelines({ auth: value }));
    signIn({ kind: 'token', value });
  });
  useEffect(() => {
    void getSignInMethods().then(({ data }) => setHasIssuer(data?.data.oidc === true));
  }, []);
  const more = hasIssuer && <button type="button" onClick={trying(goToIssuer)}>Sign in with your organisation</button>;
  return (
    <SignInPage title="Sign in" error={error} onSubmit={submit} onCancel={() => { signInWanted.value = false; }} more={more}>
      <Field label="API token" hint="The one for everything, which is the value of RUNS_API_TOKEN in the example of the configuration, or one of tokens"><input type="password" autoComplete="off" autoFocus required value={token} onInput={(event) => setToken(event.currentTarget.value)} /></Field>
    </SignInPage>
  );
}

const goToIssuer = (): Promise<void> => leaveForIssuer(async () => (await ask(startOidcSignIn())).data);

/** Signs in with the issuer's response, if the issuer has just sent the browser back. */
export const finishAtIssuer = (): Promise<void> => returnFromIssuer(async (body) => {
  const { data: { token, expires_at: expiresAt } } = await ask(finishOidcSignIn({ body }));
  signIn({ kind: 'token', value: token, endsAt: expiresAt * 1000 });
});
