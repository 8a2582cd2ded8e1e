import type { Environment } from './api-tokens.ts';
import type { RunsConfig } from './schema/index.ts';

/** Secrets whose variable is unset or empty: an empty value cannot be masked. */
export function missingSecrets({ secrets }: RunsConfig, env: Environment): RunsConfig['secrets'] {
  return secrets.filter((secret) => !env[secret.env]);
}

/** Webhooks of notifications that get nothing because the variable with their signing key is not set. */
export function unsignedWebhooks({ notifications }: RunsConfig, env: Environment): RunsConfig['notifications']['webhooks'] {
  return notifications.webhooks.filter(({ enabled, secret_env: variable }) => enabled && variable !== '' && !env[variable]);
}
