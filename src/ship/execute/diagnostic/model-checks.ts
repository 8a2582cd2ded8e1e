import { Agent, request } from 'undici';
import type { RoleProbe } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { endpointUrl } from '../ai-text/index.ts';
import type { Variables } from '../sandbox/index.ts';
import { broken, type Check, doubtful, type Finding, fine } from './finding.ts';

const ANSWER_MS = 10_000;

/** Checks whether the endpoint of each AI role accepts this ship. */
export const models: Check = async ({ env }, { limits }, { roles }) => {
  if (roles.length === 0) return fine('there are no AI roles');
  return (await Promise.all(roles.map((role) => probe(role, env, limits.ended)))).flat();
};

async function probe({ role, endpoint, apiKeyEnv }: RoleProbe, env: Variables, ended: AbortSignal): Promise<Finding[]> {
  const key = apiKeyEnv === '' ? undefined : env[apiKeyEnv];
  if (apiKeyEnv !== '' && !key)
    return doubtful(`role ${role}: the variable ${apiKeyEnv} is not set, so its runs don't come here`);
  const agent = new Agent();
  try {
    const { statusCode } = await request(endpointUrl(endpoint, '/models'), {
      headers: { Accept: 'application/json', ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
      dispatcher: agent,
      signal: AbortSignal.any([ended, AbortSignal.timeout(ANSWER_MS)]),
    });
    if (statusCode >= 200 && statusCode < 300) return fine(`role ${role}: ${endpoint} answers`);
    if (statusCode === 404 || statusCode === 405)
      return doubtful(`role ${role}: ${endpoint} answers, but lists no models (${statusCode})`);
    return broken(
      `role ${role}: ${endpoint} answers ${statusCode}${
        statusCode === 401 || statusCode === 403 ? ': it refuses the key' : ''
      }`,
    );
  } catch (error) {
    return broken(
      `role ${role}: ${endpoint} can't be reached: ${
        error instanceof Error ? error.message || error.name : String(error)
      }`,
    );
  } finally {
    await agent.destroy();
  }
}
