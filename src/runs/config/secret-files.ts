import type { RunsConfig } from './schema/index.ts';

/** Files that hold secrets, or tokens for their sources: steps must not see them. */
export function secretFiles({ secrets, secret_sources: { vault, google, azure } }: RunsConfig): string[] {
  const files = [...secrets.map(({ file }) => file), vault.token_file, vault.approle.secret_id_file,
    vault.kubernetes.role === '' ? '' : vault.kubernetes.token_file, google.credentials_file, azure.token_file];
  return [...new Set(files.filter((file) => file !== ''))];
}
