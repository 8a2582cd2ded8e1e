import type { Environment } from './api-tokens.ts';
import type { RunsConfig } from './schema/index.ts';

/** Secrets whose variable is not set, or is empty: an empty value is no secret, and cannot be masked. */
export function missingSecrets({ secrets }: RunsConfig, env: Environment): RunsConfig['secrets'] {
  return secrets.filter((secret) => !env[secret.env]);
}

/** Webhooks of notifications that are told of nothing, since the variable with the key of their signature is not set. */
export function unsignedWebhooks({ notifications }: RunsConfig, env: Environment): RunsConfig['notifications']['webhooks'] {
  return notifications.webhooks.filter(({ enabled, secret_env: variable }) => enabled && variable !== '' && !env[variable]);
}
