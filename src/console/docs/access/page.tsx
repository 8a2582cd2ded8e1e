import { Field, Page, Tabs } from '../../shared/parts.tsx';
import { place, setQuery } from '../../shared/router.ts';
import { isAdmin } from '../config.ts';
import { Groups } from './groups.tsx';
import { ApiKeys, McpKeys } from './keys.tsx';
import { Roles } from './roles.tsx';
import { Users } from './users.tsx';
import { useState } from 'preact/hooks';
import { changePassword } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { renew } from '../../shared/session.ts';
import { attempt } from '../../shared/toasts.tsx';
import { sessionOf } from '../session-life.ts';

const TABS = [['users', 'Users'], ['groups', 'Groups'], ['roles', 'Roles'], ['keys', 'API keys'], ['password', 'My password'], ['mcp', 'MCP keys']] as const;
type Tab = (typeof TABS)[number][0];

const VIEWS = { users: Users, groups: Groups, roles: Roles, keys: ApiKeys, password: Password, mcp: McpKeys };

export function AccessPage() {
  const tabs = TABS.filter(([name]) => isAdmin.value || name === 'keys' || name === 'password');
  const first = tabs[0]![0];
  const tab = (place.value.query['tab'] ?? first) as Tab;
  const View = VIEWS[tab] ?? VIEWS[first];
  return (
    <Page title="Access" about="Who may read and write which collection.">
      <Tabs label="Access" value={tab} options={tabs} onChange={(name) => setQuery({ tab: name === first ? undefined : name, of: undefined })} />
      <View />
    </Page>
  );
}

/** Changes the password of the signed-in user, and ends the user's other sessions. */
function Password() {
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
