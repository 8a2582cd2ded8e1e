import { KEYED, PAGES, READS } from '../../../../generated/docs/client-facts.ts';
import type { Operations } from '../../../../generated/docs/operations.ts';
import { createClient, createConfig } from '../../../../generated/docs/sdk/client/index.ts';
import { pagesOf, type Paging } from '../../../client/core/paging.ts';
import { Quire } from '../../../client/core/quire.ts';
import type { CallOptions, Client } from '../../../client/core/types.ts';
import { type OperationId, operationSpecs } from '../operations/catalogue.ts';
import { requestOf, sdkFunctionOf } from '../operations/request.ts';
import { type ClientOptions, connectionOf } from './connection.ts';
import { failureOf } from './service-failure.ts';

export type Input = Readonly<Record<string, unknown>>;
type Output<K extends OperationId> = Operations[K]['output'];

/** Calls operations of a document service by their names, with their flat inputs. Failures are `ServiceFailure`s. */
export class Service {
  readonly url: string;
  readonly #quire: Quire;

  constructor(url: string, quire: Quire) {
    this.url = url;
    this.#quire = quire;
  }

  /** Returns the result of an operation. `raw` is the body of an operation whose body is not JSON. */
  async call<K extends OperationId>(id: K, input: Input = {}, options: CallOptions = {},
    raw?: Buffer): Promise<Output<K>>
  {
    return (await this.send(id, input, options, raw)).data;
  }

  /** The same with the response, for its headers. */
  async send<K extends OperationId>(id: K, input: Input = {}, options: CallOptions = {},
    raw?: Buffer): Promise<{ data: Output<K>; response: Response }>
  {
    const spec = (await operationSpecs())[id];
    const request = await requestOf(spec, input, raw);
    // Operations that may exceed the request limit of the service have no limit here either.
    const limits = spec.limited ? {} : { timeoutMs: 0 };
    return this.#translated(async () =>
      await this.#quire.send(sdkFunctionOf(spec), { ...limits, ...options, ...request }) as { data: Output<K>;
        response: Response }
    );
  }

  /** Returns the response as a stream. */
  async stream(id: OperationId, input: Input = {}, options: CallOptions = {},
    raw?: Buffer): Promise<ReadableStream<Uint8Array>>
  {
    const spec = (await operationSpecs())[id];
    const request = await requestOf(spec, input, raw);
    return this.#translated(() => this.#quire.stream(sdkFunctionOf(spec), { timeoutMs: 0, ...options, ...request }));
  }

  /** Whether the operation returns a list page by page. */
  async hasPages(id: OperationId): Promise<boolean> {
    const { method, path } = (await operationSpecs())[id];
    return Object.hasOwn(PAGES, `${method} ${path}`);
  }

  /** The pages of a list, one after the other. */
  async *pages(id: OperationId, input: Input, options: CallOptions = {}): AsyncGenerator<readonly unknown[]> {
    const spec = (await operationSpecs())[id];
    const request = await requestOf(spec, input);
    try {
      for await (const { items } of pagesOf(this.#quire, PAGES as Readonly<Record<string, Paging>>, sdkFunctionOf(spec),
        { ...options, ...request })) yield items;
    } catch (error) {
      throw failureOf(this.url, error);
    }
  }

  async #translated<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw failureOf(this.url, error);
    }
  }
}

/**
 * The service that the options name. Does not connect yet.
 * @throws {CommandError} like `connectionOf`.
 */
export function openService(options: ClientOptions,
  limits: { readonly timeoutMs?: number; readonly retries?: number } = {}): Service
{
  const { url, apiKey, token } = connectionOf(options);
  const facts = {
    createClient: (config: object) => createClient(createConfig(config)) as Client,
    baseUrl: url,
    reads: READS,
    keyed: KEYED,
  };
  const credential = apiKey !== undefined ? { apiKey } : token !== undefined ? { token } : {};
  return new Service(url, new Quire(facts, { baseUrl: url, ...credential, ...limits }));
}
