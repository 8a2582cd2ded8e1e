import { format, item, list, listOrAll, requiredVariable, section, text, variable } from './build.ts';

const TEXT = { type: 'string', minLength: 1 } as const;

/** What can start a run, as far as secrets distinguish it. */
export const SECRET_EVENTS = ['manual', 'schedule', 'alert', 'push', 'tag', 'pull_request', 'comment', 'issue',
  'release'] as const;

const URL_FORM = { pattern: '^(https?://[^\\s@?#]+)?$', 'x-expected': 'an http:// or https:// URL' } as const;

/** No `..`, no query, and nothing that ends the path of a URL. */
const pathText = (description: string, fallback = '') =>
  text(description, fallback, {
    pattern: '^(?!/)(?!.*(^|/)\\.\\.?(/|$))[A-Za-z0-9._/@+=: -]*$',
    'x-expected': 'a path without .. and without a / at its beginning',
    maxLength: 512,
  });

const nameText = (description: string, fallback = '') =>
  text(description, fallback, {
    pattern: '^[A-Za-z0-9._-]*$',
    'x-expected': 'letters, digits, ., - and _',
    maxLength: 255,
  });

const field = (fallback = '') =>
  text('field of a value that is a JSON object; empty for the whole value', fallback, { maxLength: 255 });

const secret = item('a secret; of `env`, `file`, `command`, `vault`, `aws`, `google` and `azure` exactly one', ['name'],
  {
    name: requiredVariable('variable that steps see'),
    env: variable('variable of this process that holds the value'),
    file: text('file that holds the value, relative to the folder of this file; read for each attempt', ''),
    command: {
      ...list('program and arguments, without a shell; its output is the value', TEXT, { maxItems: 64 }),
    },
    vault: section('from `secret_sources.vault`, a key-value store of version 2', {
      mount: pathText('where the store is mounted', 'secret'),
      path: pathText('path of the secret'),
      field: { ...field('value'), minLength: 1, description: 'field of the secret' },
    }),
    aws: section('from `secret_sources.aws`', {
      id: text('name or ARN of the secret', '', { maxLength: 2048 }),
      field: field(),
    }),
    google: section('from `secret_sources.google`', {
      name: nameText('name of the secret'),
      version: nameText('version of the secret', 'latest'),
      field: field(),
    }),
    azure: section('from `secret_sources.azure`', {
      name: nameText('name of the secret'),
      version: nameText('version of the secret; empty for the current one'),
      field: field(),
    }),
    projects: listOrAll('projects whose runs may use it; null for all', TEXT),
    events: listOrAll('events whose runs may use it, of which a retry has that of the first run; null for all', {
      type: 'string',
      enum: SECRET_EVENTS,
    }),
  });

/** Secrets, and where they come from. */
export const secrets = {
  secrets: list('values that pipelines get as environment variables and that are masked in logs', secret),
  secret_sources: section('where secrets come from that are neither variables nor files', {
    cache: format('duration-or-zero',
      'how long a value of a command or of a store is kept, at most 5 minutes; 0 to ask for each attempt', '60s'),
    timeout: format('duration', 'longest time until a source has a value, at most 8 seconds', '5s'),
    vault: section('HashiCorp Vault or OpenBao; expects a token, `approle.role_id` or `kubernetes.role`', {
      address: text('URL of the server', '', URL_FORM),
      namespace: pathText('namespace; empty for none'),
      token_env: variable('variable with a token'),
      token_file: text('file with a token, which an agent keeps current', ''),
      approle: section('login by AppRole', {
        mount: pathText('where the method is mounted', 'approle'),
        role_id: text('id of the role', '', { maxLength: 255 }),
        secret_id_env: variable('variable with the secret id'),
        secret_id_file: text('file with the secret id', ''),
      }),
      kubernetes: section('login by the service account of the pod', {
        mount: pathText('where the method is mounted', 'kubernetes'),
        role: text('name of the role', '', { maxLength: 255 }),
        token_file: text('file with the token of the service account',
          '/var/run/secrets/kubernetes.io/serviceaccount/token'),
      }),
    }),
    aws: section('AWS Secrets Manager', {
      region: nameText('region of the secrets'),
      endpoint: text('URL of the service; empty for that of the region', '', URL_FORM),
      access_key_env: variable('variable with the access key id', 'AWS_ACCESS_KEY_ID'),
      secret_key_env: variable('variable with the secret access key', 'AWS_SECRET_ACCESS_KEY'),
      session_token_env: variable('variable with the session token of temporary credentials; may be unset',
        'AWS_SESSION_TOKEN'),
    }),
    google: section('Google Secret Manager', {
      project: nameText('id or number of the project of the secrets'),
      credentials_file: text('file with the key of a service account (JSON)', ''),
      endpoint: text('URL of the service', 'https://secretmanager.googleapis.com', URL_FORM),
    }),
    azure: section('Azure Key Vault; expects `client_secret_env` or `token_file`', {
      vault: text('URL of the vault, such as https://our-vault.vault.azure.net', '', URL_FORM),
      tenant: nameText('id of the tenant'),
      client_id: nameText('id of the application'),
      client_secret_env: variable('variable with the secret of the application'),
      token_file: text('file with a token of a workload identity (`AZURE_FEDERATED_TOKEN_FILE`)', ''),
      authority: text('URL of the issuer of tokens', 'https://login.microsoftonline.com', URL_FORM),
      scope: text('scope of tokens', 'https://vault.azure.net/.default'),
    }),
  }),
} as const;
