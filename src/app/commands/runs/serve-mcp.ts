import type { Client } from '../../../../generated/runs/sdk/client/index.ts';
import { cancelRun, enqueueRun, getRun, listPipelines, listProjects, listRunAttempts, listRunLogs, listRuns,
  listRunTests, retryRun } from '../../../../generated/runs/sdk/sdk.gen.ts';
import { createRunsCore, loadStdio, pinRevision, type RunsCoreOptions } from '../../../api/mcp/index.ts';
import { type ErrorCode, ERRORS, ServiceError } from '../../../errors/index.ts';
import { silentLog } from '../../../lib/log.ts';
import { Reply } from '../../../operations/index.ts';
import { SERVER_INFO } from '../../runs/mcp.ts';
import { type Io, untilInterrupted } from '../shared/io.ts';
import type { SdkAnswer } from '../shared/service-failure.ts';
import { openRunsClient, type RunsClientOptions } from './client.ts';

/** Most bytes of a message of the client. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** Serves the tools of a service that runs elsewhere, until the client ends or the program is interrupted. */
export async function serveMcp(options: RunsClientOptions, io: Io): Promise<void> {
  const { serveOverStdio } = await loadStdio();
  const core = createRunsCore({
    info: SERVER_INFO,
    invoke: invokerOf(openRunsClient(options).sdk),
    permits: async () => () => true,
    log: silentLog,
  });
  const server = serveOverStdio({
    core,
    revisions: pinRevision(''),
    input: io.stdin,
    output: io.stdout,
    maxBytes: MAX_MESSAGE_BYTES,
    log: silentLog,
  });
  await untilInterrupted(async (signal) => {
    signal.addEventListener('abort', () => void server.stop(), { once: true });
    await server.ended;
  });
}

type Input = Readonly<Record<string, unknown>>;

/** The operations that the tools use, as requests. */
const CALLS: Readonly<Record<string, (client: Client, input: Input) => Promise<SdkAnswer<unknown>>>> = {
  getRun: (client, { id }) => getRun({ client, path: { id: id as string } }),
  listRuns: (client, query) => listRuns({ client, query }),
  listRunAttempts: (client, { id }) => listRunAttempts({ client, path: { id: id as string } }),
  listRunLogs: (client, { id, ...query }) => listRunLogs({ client, path: { id: id as string }, query }),
  listRunTests: (client, { id, ...query }) => listRunTests({ client, path: { id: id as string }, query }),
  listPipelines: (client) => listPipelines({ client }),
  listProjects: (client) => listProjects({ client }),
  enqueueRun: (client, { idempotencyKey, ...body }) =>
    enqueueRun({ client, headers: keyOf(idempotencyKey), body: body as never }),
  retryRun: (client, { id, idempotencyKey, ...query }) =>
    retryRun({ client, path: { id: id as string }, headers: keyOf(idempotencyKey), query }),
  cancelRun: (client, { id }) => cancelRun({ client, path: { id: id as string } }),
};

const keyOf = (key: unknown) => ({ 'Idempotency-Key': key as string });

function invokerOf(client: Client): RunsCoreOptions['invoke'] {
  return async (id, input) => {
    const { data, error, response } = await CALLS[id]!(client, input as Input);
    if (response?.ok && error === undefined) return new Reply(data);
    throw errorOf(error, response);
  };
}

/** The error of a response as the service threw it; `unavailable` if there was none. */
function errorOf(body: unknown, response: Response | undefined): ServiceError {
  if (response === undefined) {
    const { cause, message } = body as { cause?: { code?: string }; message?: string };
    return new ServiceError('unavailable', `the service cannot be reached: ${cause?.code ?? message ?? 'no response'}`);
  }
  const { code = '', message } = (body as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
  return new ServiceError(Object.hasOwn(ERRORS, code) ? code as ErrorCode : 'internal',
    message ?? `the service answered ${response.status} ${code}`.trim());
}
