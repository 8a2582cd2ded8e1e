import { secretRefusal } from '../../net/index.ts';
import type { Environment } from './api-tokens.ts';
import type { RunsConfig } from './schema/index.ts';

/** Secrets whose variable is unset or empty: an empty value cannot be masked. */
export function missingSecrets({ secrets }: RunsConfig, env: Environment): RunsConfig['secrets'] {
  return secrets.filter((secret) => !env[secret.env]);
}

/** Webhooks of notifications that get nothing because the variable with their signing key is not set. */
export function unsignedWebhooks({ notifications }: RunsConfig,
  env: Environment): RunsConfig['notifications']['webhooks']
{
  return notifications.webhooks.filter(({ enabled, secret_env: variable }) =>
    enabled && variable !== '' && !env[variable]
  );
}

/**
 * Webhooks of notifications whose signing key makes no signature `webhook-signature`, or one that can be forged, and
 * why.
 */
export function weakWebhooks({ notifications }: RunsConfig,
  env: Environment): { readonly name: string; readonly variable: string; readonly refusal: string }[]
{
  return notifications.webhooks.flatMap(({ name, enabled, secret_env: variable }) => {
    const refusal = enabled && variable !== '' ? secretRefusal(env[variable] ?? '') : undefined;
    return refusal === undefined ? [] : [{ name, variable, refusal }];
  });
}
