import { Page, Tabs } from '../../shared/parts.tsx';
import { place, setQuery } from '../../shared/router.ts';
import { Groups } from './groups.tsx';
import { ApiKeys, McpKeys } from './keys.tsx';
import { Users } from './users.tsx';

const TABS = [['users', 'Users'], ['groups', 'Groups'], ['keys', 'My API keys'], ['mcp', 'MCP keys']] as const;
type Tab = (typeof TABS)[number][0];

const VIEWS = { users: Users, groups: Groups, keys: ApiKeys, mcp: McpKeys };

export function AccessPage() {
  const tab = (place.value.query['tab'] ?? 'users') as Tab;
  const View = VIEWS[tab] ?? Users;
  return (
    <Page title="Access" about="Who may read and write which collection.">
      <Tabs label="Access" value={tab} options={TABS} onChange={(name) => setQuery({ tab: name === 'users' ? undefined : name })} />
      <View />
    </Page>
  );
}
