import { useState } from 'preact/hooks';
import { changePassword } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Field } from '../../shared/parts.tsx';
import { renew } from '../../shared/session.ts';
import { attempt } from '../../shared/toasts.tsx';
import { sessionOf } from '../session-life.ts';

/** Changes the password of the signed-in user, and ends the user's other sessions. */
export function Password() {
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const save = (): Promise<unknown> => attempt(async () => {
    renew(sessionOf(await ask(changePassword({ body: { oldPassword, newPassword } }))));
    setOld('');
    setNew('');
  }, 'The password was changed');
  return (
    <form class="stack" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <Field label="Present password"><input type="password" required autoComplete="current-password" value={oldPassword} onInput={(event) => setOld(event.currentTarget.value)} /></Field>
      <Field label="New password" hint="Signs you out everywhere else"><input type="password" required autoComplete="new-password" value={newPassword} onInput={(event) => setNew(event.currentTarget.value)} /></Field>
      <div class="row end"><button class="primary" type="submit">Change the password</button></div>
    </form>
  );
}
