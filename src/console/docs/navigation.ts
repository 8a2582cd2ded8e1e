import type { NavGroup, NavItem } from '../shared/shell.tsx';

const item = (label: string, icon: NavItem['icon'], under: string): NavItem => ({
  label,
  icon,
  address: `#/${under}`,
  under: under === '' ? ['', 'collections'] : [under],
});

/** The pages that a caller can open: some are for administrators only. */
export function navigation(authEnabled: boolean, isAdmin: boolean): readonly NavGroup[] {
  const forAdmin = (...items: readonly NavItem[]): readonly NavItem[] => (isAdmin ? items : []);
  return [{
    items: [item('Collections', 'folder', ''), item('Upload', 'upload', 'upload'), item('Memory', 'chat', 'memory')],
  }, {
    title: 'Integrate',
    items: [item('Jobs', 'jobs', 'jobs'),
      ...forAdmin(item('Webhooks', 'hook', 'webhooks'), item('Automation', 'bolt', 'automation')),
      item('Operations', 'try', 'try')],
  }, {
    title: 'Operate',
    items: [...(authEnabled ? [item('Access', 'people', 'access')] : []),
      ...forAdmin(item('Audit', 'list', 'audit'), item('Encryption', 'lock', 'encryption')),
      item('Metrics', 'chart', 'metrics')],
  }];
}
