/**
 * `owner/name` of a project's repository as the API of its forge names it; undefined for a repository that has none,
 * such as a folder. `url` is the address of the forge, which may have a path of its own.
 */
export function repositoryPath(repository: string, url: string): string | undefined {
  const scp = /^git@[^:/]+:([^\s]+)$/.exec(repository)?.[1];
  const path = scp ?? (repository.includes('://') ? pathIn(repository, url) : repository);
  const plain = path?.replace(/^\/{1,8}|\/{1,8}$/g, '').replace(/\.git$/, '') ?? '';
  return plain.includes('/') ? plain : undefined;
}

function pathIn(repository: string, url: string): string | undefined {
  const address = URL.parse(repository);
  if (address === null || address.protocol === 'file:') return undefined;
  const base = URL.parse(url)?.pathname.replace(/\/$/, '') ?? '';
  const path = decodeURI(address.pathname);
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}
