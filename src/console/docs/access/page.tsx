import { Page, Tabs } from '../../shared/parts.tsx';
import { place, setQuery } from '../../shared/router.ts';
import { isAdmin } from '../config.ts';
import { Groups } from './groups.tsx';
import { ApiKeys, McpKeys } from './keys.tsx';
import { Password } from './password.tsx';
import { Roles } from './roles.tsx';
import { Users } from './users.tsx';

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
