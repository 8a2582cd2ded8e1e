import type { RequestListener } from 'node:http';
import { type Operations, operations } from '../../../generated/runs/operations.ts';
import { Authenticator, createMcpListener, createRunsCore, pinRevision, type RunsCoreOptions,
  StaticKeys } from '../../api/mcp/index.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { WebGuard } from '../../lib/web-guard.ts';
import type { AccessCheck, AccessWatch, Caller, Guard, Identity, Invoke, Permits } from '../../operations/index.ts';
import { readsAreOpen } from '../../runs/auth/index.ts';
import type { LiveConfig } from '../../runs/environment.ts';
import { BUILD_VERSION } from '../specification.ts';

interface RunsMcpOptions {
  readonly config: LiveConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly invoke: Invoke<Operations>;
  readonly guard: Guard;
  /** Whose a credential is; undefined for one that is not valid. */
  readonly readCredential: (credential: Caller['credential']) => Promise<Identity | undefined>;
  readonly follow: (check: AccessCheck) => AccessWatch;
  /** Which web pages may call. */
  readonly web: WebGuard;
  readonly maxBodyBytes: number;
  readonly compress: boolean;
}

/** MCP over the HTTP port of the run queue. */
export interface RunsMcp {
  /** A listener that serves MCP at its paths, and leaves everything else to another one. */
  before(others: RequestListener): RequestListener;
  /** Rejects new requests, and ends sessions after at most so many milliseconds. */
  stop(milliseconds: number): Promise<void>;
}

/** What the run queue calls itself in MCP. */
export const SERVER_INFO = {
  name: 'quire-runs',
  version: BUILD_VERSION,
  title: 'Quire run queue',
  description: 'Runs of pipelines: their states, logs and test results.',
};

const PATHS: ReadonlySet<string> = new Set(['/mcp', '/sse', '/message']);

/**
 * MCP with the tokens of the API: one is needed unless reading is open, and each call is checked like a request of
 * REST, so that scopes and projects of a token hold.
 */
export function createRunsMcp(options: RunsMcpOptions): RunsMcp {
  const { config, clock, log, invoke, guard, web } = options;
  const usual = { required: false, keys: new StaticKeys([]), cacheTtl: 0, clock };
  const open = new Authenticator(usual);
  const closed = new Authenticator({ ...usual, accepts: options.readCredential });
  const isOpen = (): boolean => readsAreOpen(config.current());
  const { listener, stop } = createMcpListener({
    core: createRunsCore({
      info: SERVER_INFO,
      invoke: invoke as unknown as RunsCoreOptions['invoke'],
      permits: permitsOf(guard),
      log,
    }),
    revisions: pinRevision(''),
    authenticator: { identify: (...args) => (isOpen() ? open : closed).identify(...args) },
    follow: options.follow,
    origin: {
      guard: web,
      get isOpen() {
        return isOpen();
      },
    },
    rateLimit: { enabled: false, requests: 1, windowMs: 1000, burst: 0, by: 'ip', clock },
    maxBodyBytes: options.maxBodyBytes,
    compress: options.compress,
    clock,
    log,
  });
  return {
    before: (others) => (request, response) =>
      (PATHS.has(request.url?.split('?', 1)[0] ?? '') ? listener : others)(request, response),
    stop: (milliseconds) => stop(AbortSignal.timeout(Math.ceil(milliseconds))),
  };
}

/** A tool is listed for the tokens whose scopes allow its operations. */
function permitsOf(guard: Guard): Permits {
  return async (caller) => {
    const allowed = new Set<string>();
    for (const operation of Object.values(operations)) {
      try {
        await guard.identify(operation, caller);
        allowed.add(operation.id);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
      }
    }
    return (id) => allowed.has(id);
  };
}
