import type { Operations } from '../../../generated/runs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import { storageUnavailable } from '../storage-failures.ts';

type SystemHandlers = Required<Pick<Handlers<Operations>, 'getLiveness' | 'getReadiness'>>;

type SandboxCheck = Operations['getReadiness']['output']['data']['checks']['sandbox'];

/** Whether a part works. */
type Check = () => boolean | Promise<boolean>;

interface SystemOptions {
  readonly version: string;
  /** False while the service starts, and from the moment it is told to stop (decisions, section 2.1). */
  readonly accepting: () => boolean;
  /** Isolation of the steps that run in this process; default: none run here. */
  readonly sandbox?: () => string;
  /** The existing parts; an absent one is `disabled`. */
  readonly checks?: { readonly [Part in 'storage' | 'config' | 'fleet']?: Check | undefined };
}

/** Liveness and readiness. Neither is logged as a failure of the store, because they only report it. */
export function createSystem(
  { version, accepting, sandbox = () => 'disabled', checks = {} }: SystemOptions,
): { handlers: SystemHandlers } {
  async function resultOf(part: keyof typeof checks): Promise<'ok' | 'disabled'> {
    const check = checks[part];
    if (check === undefined) return 'disabled';
    const works = await Promise.resolve().then(check).catch(() => false);
    if (!works) throw storageUnavailable(`${part} does not work`);
    return 'ok';
  }

  return {
    handlers: {
      async getLiveness() {
        return { data: { status: 'ok', version } };
      },
      async getReadiness() {
        if (!accepting()) throw storageUnavailable('the server is starting or stopping');
        const [storage, config, fleet] = await Promise.all([resultOf('storage'), resultOf('config'),
          resultOf('fleet')]);
        return { data: { status: 'ready', checks: { storage, config, fleet, sandbox: sandbox() as SandboxCheck } } };
      },
    },
  };
}
