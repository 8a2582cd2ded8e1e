import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleCalls, type Service, specificationFile } from './support/examples.ts';
import { type Prism, startMock } from './support/prism.ts';

interface SdkAnswer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

export interface SdkModule {
  readonly functions: Readonly<Record<string, unknown>>;
  readonly createClient: (config: { baseUrl: string; auth: string }) => unknown;
}

/**
 * The consumer's side of the contract: every function of a generated SDK is called with the specification's own
 * examples against a Prism mock; it must send requests that the specification accepts, and parse the responses.
 */
export function consumerSuite(service: Service, sdk: SdkModule, expectedOperations: number): void {
  const calls = exampleCalls(service);

  describe(`the SDK of ${service} against a mock of its specification`, () => {
    let mock: Prism;
    let client: unknown;
    beforeAll(async () => {
      mock = await startMock(specificationFile(service));
      client = sdk.createClient({ baseUrl: mock.url, auth: 'token' });
    });
    afterAll(() => mock.stop());

    it('covers every operation; a change of this number is a change of the contract', () => {
      expect(calls.length).toBe(expectedOperations);
    });

    it.each(calls.map((call) => [call.operationId, call] as const))('%s', async (operationId, call) => {
      const invoke = sdk.functions[operationId] as ((options: object) => Promise<SdkAnswer>) | undefined;
      expect(invoke, 'the SDK has no such function').toBeTypeOf('function');
      if (call.produces.includes('text/event-stream'))
        return expectEvents(invoke as never, { ...call.options, client });
      const { data, error, response } = await invoke!({ ...call.options, client });
      expect([response.status, error]).toEqual([call.status, undefined]);
      if (call.answer !== undefined) expect(data).toEqual(call.answer);
      return undefined;
    });
  });
}

/** A stream of server-sent events: its first event arrives, and the loop can be left. */
async function expectEvents(invoke: (options: object) => Promise<{ stream: AsyncGenerator<unknown> }>,
  options: object): Promise<void>
{
  const { stream } = await invoke({ ...options, sseMaxRetryAttempts: 1 });
  const first = await stream.next();
  expect(first.value).toBeDefined();
  await stream.return(undefined);
}
