import { operations, type Operations } from '../../generated/runs/operations.ts';
import { createHttpApp, nestedErrors, startHttpServer } from '../api/http/index.ts';
import { ServiceError } from '../errors/index.ts';
import type { Address } from '../lib/address.ts';
import type { Log } from '../lib/log.ts';
import { createInvoker } from '../operations/index.ts';
import { createRunQueueService } from '../runs/index.ts';
import type { Running } from './foreground.ts';
import { readSpecification } from './specification.ts';
import { BUILD_VERSION } from './version.ts';

/** A body may have so many bytes (decisions, section 2.1). */
const MAX_BODY_BYTES = 1_048_576;
const REQUEST_LIMIT_MS = 30_000;

export interface RunsStartOptions {
  readonly listen: Address;
  readonly shutdownGraceMs: number;
  readonly log: Log;
  readonly validateResponses?: boolean;
}

export interface RunningRunQueueService extends Running {
  readonly url: string;
}

/** Starts the run-queue service. Rejects with a reason for a person when the address cannot be had. */
export async function startRunQueueService(options: RunsStartOptions): Promise<RunningRunQueueService> {
  let stopping = false;
  const { handlers } = createRunQueueService({ version: BUILD_VERSION, accepting: () => !stopping });
  const specification = await readSpecification('runs');
  const invoke = createInvoker<Operations>({ operations, inputs: specification.inputs, handlers, mode: () => 'wr', timeoutMs: REQUEST_LIMIT_MS });
  const app = await createHttpApp<Operations>({
    title: 'Quire run-queue service',
    specification, operations, invoke,
    errors: nestedErrors,
    log: options.log,
    maxBodyBytes: MAX_BODY_BYTES,
    corsOrigins: [],
    validateResponses: options.validateResponses ?? false,
  });
  const http = await startHttpServer(app.callback(), toListen(options.listen), nestedErrors);
  return {
    url: http.url,
    stop: () => {
      stopping = true;
      return http.stop(options.shutdownGraceMs);
    },
  };
}

function toListen(address: Address): { host?: string; port: number } {
  if (address.kind === 'unix') throw new ServiceError('invalid_input', 'listen: a unix socket is not possible here; give host:port');
  return { port: address.port, ...(address.host === undefined ? {} : { host: address.host }) };
}
