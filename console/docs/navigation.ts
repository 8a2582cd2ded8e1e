import type { ServerConfig } from '../../generated/docs/sdk/types.gen.ts';
import type { NavGroup } from '../shared/shell.tsx';

/** What there is to go to on a server with these settings. */
export function navigation({ authEnabled = false }: Partial<ServerConfig>): readonly NavGroup[] {
  return [
    { items: [
      { label: 'Collections', icon: 'folder', address: '#/', under: ['', 'collections'] },
      { label: 'Upload', icon: 'upload', address: '#/upload', under: ['upload'] },
      { label: 'Memory', icon: 'chat', address: '#/memory', under: ['memory'] },
    ] },
    { title: 'Integrate', items: [
      { label: 'Jobs', icon: 'jobs', address: '#/jobs', under: ['jobs'] },
      { label: 'Webhooks', icon: 'hook', address: '#/webhooks', under: ['webhooks'] },
      { label: 'Automation', icon: 'bolt', address: '#/automation', under: ['automation'] },
      { label: 'Operations', icon: 'try', address: '#/try', under: ['try'] },
    ] },
    { title: 'Operate', items: [
      ...(authEnabled ? [{ label: 'Access', icon: 'people', address: '#/access', under: ['access'] } as const] : []),
      { label: 'Audit', icon: 'list', address: '#/audit', under: ['audit'] },
      { label: 'Encryption', icon: 'lock', address: '#/encryption', under: ['encryption'] },
      { label: 'Metrics', icon: 'chart', address: '#/metrics', under: ['metrics'] },
    ] },
  ];
}
