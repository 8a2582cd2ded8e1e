import type { Server } from '@grpc/grpc-js';
import type * as Health from 'grpc-health-check';
import { createRequire } from 'node:module';
import { addLateService, servicesOf } from './late-service.ts';

/** The service name under which the health service reports readiness, as `GET /ready` does. */
const READINESS = 'readiness';

const ONE_RESPONSE = { requestStream: false, responseStream: false };

/**
 * The standard health service (`grpc.health.v1.Health`): the server as a whole under the empty name, each service, and
 * under `readiness` whether every search index is ready. The server and its services already report SERVING before
 * that.
 */
export function addHealth(server: Server, services: readonly string[],
  followReadiness?: (listener: (ready: boolean) => void) => void): { stop(): void }
{
  const statuses: Health.ServingStatusMap = Object.fromEntries(['', ...services].map((name) => [name, 'SERVING']));
  let health: Health.HealthImplementation | undefined;
  const report = (name: string, status: Health.ServingStatusMap[string]): void => {
    statuses[name] = status;
    health?.setStatus(name, status);
  };
  if (followReadiness !== undefined) report(READINESS, 'NOT_SERVING');
  addLateService(server, 'grpc.health.v1.Health', {
    Check: ONE_RESPONSE,
    List: ONE_RESPONSE,
    Watch: { requestStream: false, responseStream: true },
  }, () => {
    const { HealthImplementation } = createRequire(import.meta.url)('grpc-health-check') as typeof Health;
    return servicesOf(health = new HealthImplementation(statuses))[0]!;
  });
  let stopped = false;
  followReadiness?.((ready) => {
    if (!stopped) report(READINESS, ready ? 'SERVING' : 'NOT_SERVING');
  });
  return {
    stop: () => {
      stopped = true;
      for (const name of Object.keys(statuses)) report(name, 'NOT_SERVING');
    },
  };
}
