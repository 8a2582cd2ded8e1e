import type { Server } from '@grpc/grpc-js';
import { HealthImplementation, type ServingStatusMap } from 'grpc-health-check';

/** The service name under which the health service reports readiness, as `GET /ready` does. */
const READINESS = 'readiness';

/**
 * The standard health service (`grpc.health.v1.Health`): the server as a whole under the empty name, each service, and
 * under `readiness` whether every search index is ready. The server and its services already report SERVING before
 * that.
 */
export function addHealth(server: Server, services: readonly string[],
  followReadiness?: (listener: (ready: boolean) => void) => void): { stop(): void }
{
  const names = ['', ...services];
  const statuses: ServingStatusMap = Object.fromEntries(names.map((name) => [name, 'SERVING']));
  const health = new HealthImplementation(
    followReadiness === undefined ? statuses : { ...statuses, [READINESS]: 'NOT_SERVING' },
  );
  health.addToServer(server);
  let stopped = false;
  followReadiness?.((ready) => {
    if (!stopped) health.setStatus(READINESS, ready ? 'SERVING' : 'NOT_SERVING');
  });
  return {
    stop: () => {
      stopped = true;
      for (const name of followReadiness === undefined ? names : [...names, READINESS])
        health.setStatus(name, 'NOT_SERVING');
    },
  };
}
