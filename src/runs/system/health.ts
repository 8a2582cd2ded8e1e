import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Handlers } from '../../operations/index.ts';

type SystemHandlers = Required<Pick<Handlers<Operations>, 'getLiveness' | 'getReadiness'>>;

export interface SystemOptions {
  readonly version: string;
  /** False from the moment the service is told to stop (decisions, section 2.1). */
  readonly accepting: () => boolean;
}

/** Liveness and readiness. There is no store and no fleet yet, and the checks say so. */
export function createSystem({ version, accepting }: SystemOptions): { handlers: SystemHandlers } {
  return {
    handlers: {
      async getLiveness() {
        return { data: { status: 'ok', version } };
      },
      async getReadiness() {
        if (!accepting()) throw new ServiceError('storage_unavailable', 'stopping', { headers: { 'Retry-After': '1' } });
        return { data: { status: 'ready', checks: { storage: 'disabled', config: 'ok', fleet: 'disabled' } } };
      },
    },
  };
}
