import type { RunsConfig } from '../config/index.ts';

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
export function credentialsFor(url: string, credentials: readonly Credentials[]): Credentials | undefined {
  const fitting = credentials.filter((each) =>
    url === each.url || (url.startsWith(each.url) && (/[/:]$/.test(each.url) || url[each.url.length] === '/'))
  );
  return fitting.reduce<Credentials | undefined>(
    (best, each) => (best === undefined || each.url.length > best.url.length ? each : best),
    undefined,
  );
}
