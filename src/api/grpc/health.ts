import type { Server } from '@grpc/grpc-js';
import { HealthImplementation, type ServingStatusMap } from 'grpc-health-check';

/** The standard health service (`grpc.health.v1.Health`): the server as a whole under the empty name, and each service. */
export function addHealth(server: Server, services: readonly string[]): { stop(): void } {
  const names = ['', ...services];
  const statuses: ServingStatusMap = Object.fromEntries(names.map((name) => [name, 'SERVING']));
  const health = new HealthImplementation(statuses);
  health.addToServer(server);
  return {
    stop: () => {
      for (const name of names) health.setStatus(name, 'NOT_SERVING');
    },
  };
}
