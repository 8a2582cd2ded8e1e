import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { KEYED, PAGES, READS } from '../../../../generated/docs/client-facts.ts';
import type { Operations } from '../../../../generated/docs/operations.ts';
import { createClient, createConfig } from '../../../../generated/docs/sdk/client/index.ts';
import { pagesOf, type Paging } from '../../../client/core/paging.ts';
import { Quire } from '../../../client/core/quire.ts';
import type { CallOptions, Client, SdkFunction } from '../../../client/core/types.ts';
import type { OperationSpec } from '../../../operations/index.ts';
import { type OperationId, operationSpecs } from '../operations/catalogue.ts';
import { UsageError } from './command-error.ts';
import { type ClientOptions, connectionOf } from './connection.ts';
import { failureOf } from './service-failure.ts';

/** An input of the SDK: where each field of the flat input is in the request. */
interface RequestParts {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const SECURITY = [{ scheme: 'bearer', type: 'http' }, { name: 'X-API-Key', type: 'apiKey' }] as const;
const JSON_TYPE = 'application/json';

type Methods = Record<'get' | 'put' | 'post' | 'patch' | 'delete', (options: object) => Promise<unknown>>;

/**
 * The SDK's function for an operation, made from its row in the table of operations, so that the whole SDK need not be
 * loaded.
 */
function sdkFunctionOf(spec: OperationSpec): SdkFunction {
  const method = spec.method.toLowerCase() as keyof Methods;
  const type = spec.consumes[0];
  const isJson = type === undefined || type === JSON_TYPE;
  return ({ client, ...options }: { client: Methods; headers?: object }) =>
    client[method]({
      ...(!isJson && { bodySerializer: null }),
      ...(spec.access !== 'public' && { security: SECURITY }),
      url: spec.path,
      ...options,
      // `fetch` must choose the boundary of a form itself.
      headers: {
        ...(type !== undefined && { 'Content-Type': type === 'multipart/form-data' ? null : type }),
        ...options.headers,
      },
    });
}

/**
 * Puts the fields of a flat input where the operation's request has them. `raw` is the body of an operation whose body
 * is not JSON.
 * @throws {UsageError} if a file cannot be read.
 */
async function requestOf(spec: OperationSpec, input: Readonly<Record<string, unknown>>,
  raw?: Buffer): Promise<RequestParts>
{
  const rest = { ...input };
  const places: Record<'path' | 'query' | 'header', Record<string, unknown>> = { path: {}, query: {}, header: {} };
  for (const { name, in: place, field } of spec.parameters) {
    if (rest[field] !== undefined) places[place][name] = rest[field];
    delete rest[field];
  }
  const body = raw ??
    (spec.consumes.length === 0
      ? undefined
      : spec.consumes[0] === 'multipart/form-data'
      ? await formOf(rest)
      : jsonOf(rest, spec));
  return { path: places.path, query: places.query, headers: places.header, ...(body !== undefined && { body }) };
}

/** An optional body is omitted if it is empty. */
function jsonOf(fields: Readonly<Record<string, unknown>>, { requiresBody, method }: OperationSpec): unknown {
  return Object.keys(fields).length === 0 && requiresBody !== true && method === 'GET' ? undefined : fields;
}

/** Files are read while they are sent. */
async function formOf(fields: Readonly<Record<string, unknown>>): Promise<FormData> {
  const form = new FormData();
  const { file, 'files[]': files, ...others } = fields;
  for (const [name, value] of Object.entries(others))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  for (const path of [file, files].flat().filter((each) => each !== undefined) as string[]) {
    const blob = await openAsBlob(path).catch((error: Error) => {
      throw new UsageError(`--file ${path}: ${error.message}`, { cause: error });
    });
    form.append(files === undefined ? 'file' : 'files[]', blob, basename(path));
  }
  return form;
}

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
