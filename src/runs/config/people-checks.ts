import { didYouMean } from '../../lib/did-you-mean.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { RunsConfig, SecretConfig, SecretSources } from './schema/index.ts';

/** Where the value of a secret is; each is a key of its entry. */
export type SecretKind = 'env' | 'file' | 'command' | 'vault' | 'aws' | 'google' | 'azure';

/** The sources that an entry of `secrets` names, of which a valid one has exactly one. */
export function secretKinds({ env, file, command, vault, aws, google, azure }: SecretConfig): SecretKind[] {
  const named: Readonly<Record<SecretKind, boolean>> = {
    env: env !== '',
    file: file !== '',
    command: command.length > 0,
    vault: vault.path !== '',
    aws: aws.id !== '',
    google: google.name !== '',
    azure: azure.name !== '',
  };
  return (Object.keys(named) as SecretKind[]).filter((kind) => named[kind]);
}

const when = (wrong: boolean, problem: string): string[] => (wrong ? [problem] : []);

/** What a schema cannot express about secrets, sign-in and tokens of steps: a line for each problem, with its path. */
export function peopleProblems(config: RunsConfig): string[] {
  return [...secretProblems(config), ...sourceProblems(config.secret_sources), ...signInProblems(config),
    ...idTokenProblems(config)];
}

function secretProblems({ secrets, projects, secret_sources: sources }: RunsConfig): string[] {
  const ids = projects.map(({ id }) => id);
  return secrets.flatMap((secret, index) => {
    const kinds = secretKinds(secret);
    const path = `secrets[${index}]`;
    return [
      ...when(kinds.length !== 1,
        `${path}: expected one of env, file, command, vault (with path), aws (with id), google and azure (with name), ` +
          `got ${kinds.length === 0 ? 'none' : kinds.join(' and ')}`),
      ...kinds.flatMap((kind) => missingSource(kind, sources).map((key) => `${path}.${kind}: needs ${key}`)),
      ...(secret.projects ?? []).flatMap((id, at) =>
        when(!ids.includes(id), `${path}.projects[${at}]: there is no project ${id}${didYouMean(id, ids)}`)
      ),
    ];
  });
}

function missingSource(kind: SecretKind, { vault, aws, google, azure }: SecretSources): string[] {
  const keys: Partial<Record<SecretKind, readonly (readonly [string, string])[]>> = {
    vault: [['vault.address', vault.address]],
    aws: [['aws.region', aws.region]],
    google: [['google.project', google.project], ['google.credentials_file', google.credentials_file]],
    azure: [['azure.vault', azure.vault], ['azure.tenant', azure.tenant], ['azure.client_id', azure.client_id]],
  };
  return (keys[kind] ?? []).flatMap(([key, value]) => (value === '' ? [`secret_sources.${key}`] : []));
}

const MAX_CACHE_MS = 300_000;
/** A ship has 10 seconds to accept an attempt, so the values have to be there before. */
const MAX_TIMEOUT_MS = 8000;

function sourceProblems({ cache, timeout, vault, azure }: SecretSources): string[] {
  const { token_env: token, token_file: file, approle, kubernetes } = vault;
  const ways = [token, file, approle.role_id, kubernetes.role].filter((value) => value !== '').length;
  return [
    ...when(cache > MAX_CACHE_MS,
      `secret_sources.cache: expected at most ${formatDuration(MAX_CACHE_MS)}, got ${formatDuration(cache)}`),
    ...when(timeout > MAX_TIMEOUT_MS,
      `secret_sources.timeout: expected at most ${formatDuration(MAX_TIMEOUT_MS)}, got ${formatDuration(timeout)}`),
    ...when(vault.address !== '' && ways !== 1,
      'secret_sources.vault: expected one of token_env, token_file, approle.role_id and kubernetes.role, ' +
        `got ${ways}`),
    ...when(approle.role_id !== '' && (approle.secret_id_env === '') === (approle.secret_id_file === ''),
      'secret_sources.vault.approle: expected either secret_id_env or secret_id_file'),
    ...when(azure.vault !== '' && (azure.client_secret_env === '') === (azure.token_file === ''),
      'secret_sources.azure: expected either client_secret_env or token_file'),
  ];
}

const MAX_SESSION_MS = 30 * 86_400_000;

function signInProblems({ oidc, projects }: RunsConfig): string[] {
  const ids = projects.map(({ id }) => id);
  return [
    ...(['client_id', 'redirect_uri'] as const).flatMap((key) =>
      when(oidc.issuer !== '' && oidc[key] === '', `oidc.${key}: required by oidc.issuer`)
    ),
    ...when(oidc.session > MAX_SESSION_MS,
      `oidc.session: expected at most ${formatDuration(MAX_SESSION_MS)}, got ${formatDuration(oidc.session)}`),
    ...oidc.roles.flatMap(({ people, groups, projects: only }, index) => [
      ...when(people.length + groups.length === 0, `oidc.roles[${index}]: expected people or groups`),
      ...(only ?? []).flatMap((id, at) =>
        when(!ids.includes(id), `oidc.roles[${index}].projects[${at}]: there is no project ${id}${didYouMean(id, ids)}`)
      ),
    ]),
  ];
}

const MAX_LIFETIME_MS = 86_400_000;

function idTokenProblems({ id_tokens: tokens, pipelines }: RunsConfig): string[] {
  return [
    ...when(tokens.max_lifetime > MAX_LIFETIME_MS,
      `id_tokens.max_lifetime: expected at most 24h, got ${formatDuration(tokens.max_lifetime)}`),
    ...pipelines.flatMap(({ id_token: wanted, secrets, env }, index) =>
      Object.keys(wanted).flatMap((name) => [
        ...when(tokens.issuer === '', `pipelines[${index}].id_token.${name}: needs id_tokens.issuer`),
        ...when(secrets.includes(name) || Object.hasOwn(env, name),
          `pipelines[${index}].id_token.${name}: is also a variable of secrets or env`),
      ])
    ),
  ];
}
