import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { SdkFunction } from '../../../client/core/types.ts';
import type { OperationSpec } from '../../../operations/index.ts';
import { UsageError } from '../shared/command-error.ts';

/** An input of the SDK: where each field of the flat input is in the request. */
export interface RequestParts {
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
export function sdkFunctionOf(spec: OperationSpec): SdkFunction {
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
export async function requestOf(spec: OperationSpec, input: Readonly<Record<string, unknown>>,
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
