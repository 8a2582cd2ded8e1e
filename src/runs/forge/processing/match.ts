import type { ProjectConfig, RunsConfig } from '../../config/index.ts';
import { remoteOf } from '../../definitions/index.ts';
import type { ForgeEvent } from '../port.ts';

/** The projects of a forge whose repository an event is about; several may share one. */
export function projectsOf(config: RunsConfig, forge: string, event: ForgeEvent): readonly ProjectConfig[] {
  const addresses = new Set(event.addresses.map(normalized));
  return config.projects.filter((project) =>
    project.forge === forge && (
      (event.repository !== '' && project.repository.toLowerCase() === event.repository.toLowerCase()) ||
      addresses.has(normalized(remoteOf(config, project).url))
    )
  );
}

/** Longer than any that the configuration may have. */
const MAX_ADDRESS = 2048;

/** An address as host and path, so that those of one repository by https and ssh are equal. */
function normalized(address: string): string {
  const plain = address.slice(0, MAX_ADDRESS).trim().toLowerCase().replace(/\/{1,8}$/, '').replace(/\.git$/, '');
  const url = URL.parse(plain);
  if (url !== null && url.protocol === 'file:') return `file:${url.pathname}`;
  // Ports differ between https and ssh.
  if (url !== null && url.hostname !== '') return `${url.hostname}${url.pathname}`;
  const [, host, path] = /^(?:[^@/\s]+@)?([^:/\s]+):(.+)$/.exec(plain) ?? [];
  return host === undefined ? plain : `${host}/${path}`;
}
