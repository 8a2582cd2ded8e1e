import { isBelow } from '../../lib/git-address.ts';
import type { ProjectConfig, RunsConfig } from '../config/index.ts';
import type { Definition } from './definition.ts';

type Credentials = RunsConfig['git']['credentials'][number];

/** `owner/name`, short for an address at the default host. */
const SHORT = /^[^/:@\s]+\/[^/:@\s]+$/;

/** The address that git takes for a project's repository (`runtime.git_url_template`). */
export function gitUrl(repository: string, template: string): string {
  return SHORT.test(repository) ? template.replaceAll('{repository}', () => repository) : repository;
}

/**
 * The credentials whose address prefix is the longest match. A prefix ends at the end of an address part, so that no
 * other host matches it.
 */
function credentialsFor(url: string, credentials: readonly Credentials[]): Credentials | undefined {
  const fitting = credentials.filter((each) => isBelow(url, each.url));
  return fitting.reduce<Credentials | undefined>(
    (best, each) => (best === undefined || each.url.length > best.url.length ? each : best),
    undefined,
  );
}

/** The address of a project's repository. */
export function urlOf({ runtime }: RunsConfig, { repository }: ProjectConfig): string {
  return gitUrl(repository, runtime.git_url_template);
}

/** The names of the secrets with which git gets at an address; empty if it needs none. */
export function namedCredentials(url: string, credentials: readonly Credentials[]): Pick<Definition, 'git'> {
  const found = credentialsFor(url, credentials);
  if (found === undefined) return {};
  return {
    git: {
      token: found.token,
      username: found.username,
      sshKey: found.ssh_key,
      knownHosts: found.known_hosts,
      url: found.url,
    },
  };
}

/** The address of a project's repository, and the secrets with which git gets at it. */
export function remoteOf(config: RunsConfig, project: ProjectConfig): { readonly url: string } & Pick<Definition,
  'git'>
{
  const url = urlOf(config, project);
  return { url, ...namedCredentials(url, config.git.credentials) };
}
