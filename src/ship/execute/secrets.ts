import type { Assignment } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { isSecretName } from './mask/index.ts';
import type { Variables } from './sandbox/index.ts';

/** All values of an attempt to mask: its secrets, and the keys of this machine that it uses. */
export function secretsOf({ env, secrets, plan }: Assignment, machine: Variables): string[] {
  const steps = plan.case === 'pipeline' ? plan.value.steps : [];
  const named = [env, ...steps.map((step) => step.env)].flatMap((variables) =>
    Object.entries(variables).filter(([name]) => isSecretName(name))
  );
  const keys = plan.case === 'aiText'
    ? [plan.value.apiKeyEnv]
    : plan.case === 'diagnostic'
    ? plan.value.roles.map(({ apiKeyEnv }) => apiKeyEnv)
    : [];
  const addresses = plan.case === 'pipeline' || plan.case === 'diagnostic' ? [plan.value.gitUrl] : [];
  const credentials = plan.case === 'pipeline' && plan.value.credentials !== undefined
    ? [plan.value.credentials.password, plan.value.credentials.password.trim(), plan.value.credentials.sshKey]
    : [];
  return [...Object.values(secrets), ...credentials, ...named.map(([, value]) => value),
    ...keys.map((name) => machine[name] ?? ''), ...addresses.flatMap(passwordOf)];
}

/**
 * Git repeats the address of a repository in its messages. The part before the host is a password, or a token in the
 * place of a user name.
 */
function passwordOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, protocol } = new URL(address);
  const secret = password !== '' ? password : /^https?:$/.test(protocol) ? username : '';
  return [secret, decoded(secret)];
}

/** Percent signs without a meaning are not changed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
