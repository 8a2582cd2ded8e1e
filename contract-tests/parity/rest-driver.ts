import { type OperationId, operations } from '../../generated/docs/operations.ts';
import { createClient, createConfig } from '../../generated/docs/sdk/client/index.ts';
import * as functions from '../../generated/docs/sdk/sdk.gen.ts';
import type { OperationSpec } from '../../src/operations/index.ts';
import type { SdkResult } from '../support/expectations.ts';
import { type Credential, type Driver, type Failure, type Input, LISTS, type Outcome } from './driver.ts';

type Call = (options: object) => Promise<SdkResult<unknown>>;

/** REST through the generated SDK: the reference for the other protocols. */
export function restDriver(url: string, credential: Credential = {}): Driver {
  const client = createClient(createConfig({ baseUrl: url, headers: credential }));
  return {
    protocol: 'REST',
    lacks: () => undefined,
    view: (_, outcome) => outcome,
    async call(operation, input) {
      if (operation === 'streamEvents') return eventsOf(client, input);
      const call = functions[operation] as unknown as Call;
      return outcomeOf(operation, await call({ ...partsOf(operations[operation], input), client, parseAs: 'auto' }));
    },
    close: () => Promise.resolve(),
  };
}

/** The SDK's function would read without end; this reads what exists now. */
async function eventsOf(client: ReturnType<typeof createClient>, input: Input): Promise<Outcome> {
  const query = { ...partsOf(operations.streamEvents, input)['query'], follow: false };
  return outcomeOf('streamEvents',
    await client.get({ url: operations.streamEvents.path, query, parseAs: 'text' }) as SdkResult<unknown>);
}

/** The argument of an SDK function: each field of the input at its position in the specification. */
function partsOf({ parameters, consumes }: OperationSpec, input: Input): Record<string, object> {
  const parts: Record<string, Record<string, unknown>> = consumes.length > 0 ? { body: {} } : {};
  for (const [field, value] of Object.entries(input)) {
    const parameter = parameters.find((each) => each.field === field);
    const group = parameter === undefined ? 'body' : parameter.in === 'header' ? 'headers' : parameter.in;
    parts[group] = { ...parts[group], [parameter?.name ?? field]: value };
  }
  return parts;
}

async function outcomeOf(operation: OperationId, { data, error, response }: SdkResult<unknown>): Promise<Outcome> {
  if (response === undefined) throw new Error(`${operation} was not answered`, { cause: error });
  if (!response.ok) return { failure: failureOf(error, response.status) };
  if (data instanceof Blob) return { value: await data.text() };
  const list = LISTS[operation];
  return { value: list === undefined ? data : listed(list, data, response.headers) };
}

function failureOf(error: unknown, status: number): Failure {
  const { code, error: message, errors } = error as { code: string; error: string; errors?: string[] };
  return { code, message, status, ...(errors && { errors }) };
}

/** Values that REST sends in headers beside a list are fields in the other protocols. */
function listed(name: string, items: unknown, headers: Headers): object {
  return {
    [name]: items,
    total: Number(headers.get('x-total-count')),
    ...(headers.get('x-context-truncated') === 'true' && { contextTruncated: true }),
    ...(headers.get('x-truncated') === 'true' && { truncated: true, nextOffset: Number(headers.get('x-next-offset')) }),
    ...(headers.has('x-next-cursor') && { nextCursor: headers.get('x-next-cursor') }),
  };
}
