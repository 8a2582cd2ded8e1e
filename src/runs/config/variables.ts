import { isMaskable } from '../../lib/maskable.ts';
import { secretRefusal } from '../../net/index.ts';
import type { RunsConfig } from './schema/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const MIN_LENGTH = 16;
const MAX_TOKENS = 2;

/**
 * The tokens that the API accepts: the value of the variable that `runtime.api_token_env` names, or two values,
 * separated by a space, while one replaces the other. None if the key is not set. An empty variable and a token that is
 * too short are problems, because otherwise the server would be open without anyone noticing (run-queue decisions,
 * section 2.1). Problems never show a token.
 */
export function readApiTokens({ runtime }: RunsConfig,
  env: Environment): { tokens: readonly string[]; problems: readonly string[] }
{
  const variable = runtime.api_token_env;
  if (variable === '') return { tokens: [], problems: [] };
  const refuse = (reason: string) => ({
    tokens: [],
    problems: [`runtime.api_token_env: the variable ${variable} ${reason}`],
  });
  const tokens = (env[variable] ?? '').split(/\s+/).filter((token) => token !== '');
  if (tokens.length === 0) return refuse('is not set');
  if (tokens.length > MAX_TOKENS)
    return refuse(`holds ${tokens.length} tokens; expected one, or two while one replaces the other`);
  if (tokens.some((token) => token.length < MIN_LENGTH))
    return refuse(`holds a token shorter than ${MIN_LENGTH} characters`);
  return { tokens, problems: [] };
}

/** Secrets whose variable is unset or empty: an empty value cannot be masked. */
export function missingSecrets({ secrets }: RunsConfig, env: Environment): RunsConfig['secrets'] {
  return secrets.filter((secret) => secret.env !== '' && !env[secret.env]);
}

/** Secrets whose value no log can mask, because it is too short or a part of a secret's name. */
export function openSecrets({ secrets }: RunsConfig, env: Environment): RunsConfig['secrets'] {
  const names = secrets.map(({ name }) => name);
  return secrets.filter((secret) => env[secret.env] && !isMaskable(env[secret.env]!, names));
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
