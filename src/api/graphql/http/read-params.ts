import { parseRequestParams, type Request, type RequestParams, type Response } from 'graphql-http';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/index.ts';
import { parseJsonBody, readBodyBytes, requireJsonObject, requirePlainBody } from '../../../operations/index.ts';
import { LIMITS } from '../limits/limits.ts';

/** The library's messages for invalid requests, and ours. */
const REASONS: Readonly<Record<string, ServiceError>> = {
  'Missing query': new ServiceError('missing_fields', 'missing fields: query'),
  'Invalid query': new ServiceError('invalid_argument', 'query must be a string'),
  'Invalid variables': new ServiceError('invalid_argument', 'variables must be an object'),
  'Invalid operationName': new ServiceError('invalid_argument', 'operationName must be a string'),
  'Invalid extensions': new ServiceError('invalid_argument', 'extensions must be an object'),
  'Unparsable URL': new ServiceError('invalid_argument', 'variables and extensions in the URL must be JSON objects'),
};

/**
 * Returns the query of a request, its variables and the rest, or the response to a request whose method or content type
 * is not one of GraphQL. Throws a `ServiceError` that names the problem.
 */
export async function readParams<Context>(request: Request<IncomingMessage, Context>,
  maxBytes: number): Promise<RequestParams | Response>
{
  const body = request.method === 'POST' && isJson(request.raw.headers['content-type'])
    ? await readJsonBody(request.raw, maxBytes)
    : null;
  try {
    // The library's content-type check accepts only one spelling of the character set.
    const headers = body === null ? request.headers : { ...request.raw.headers, 'content-type': 'application/json' };
    return withinDepth(await parseRequestParams({ ...request, url: withOneMark(request.url), headers, body }));
  } catch (error) {
    throw REASONS[(error as Error).message] ?? error;
  }
}

/**
 * Limits the depth of variables: code that reads them recurses into each level, and recursive input types set no limit
 * themselves.
 */
function withinDepth(params: RequestParams | Response): RequestParams | Response {
  if ('variables' in params && isDeeper(params.variables, LIMITS.nesting))
    throw new ServiceError('invalid_argument', `variables must not be nested deeper than ${LIMITS.nesting} levels`);
  return params;
}

function isDeeper(value: unknown, levels: number): boolean {
  return typeof value === 'object' && value !== null &&
    (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
}

/** The library takes the text between the first two question marks; a query may contain more of them. */
function withOneMark(url: string): string {
  const [path = '', ...rest] = url.split('?');
  return rest.length === 0 ? path : `${path}?${rest.join('%3F')}`;
}

/** Only this type makes browsers send a preflight request before a page of another site may send it. */
function isJson(contentType: string | undefined): boolean {
  const [type, ...parameters] = (contentType ?? '').toLowerCase().split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8).replaceAll('"', '');
  return type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
}

/** The body has two levels around a value of a variable. */
const BODY_LIMITS = { maxValues: LIMITS.values, maxDepth: LIMITS.nesting + 2 };

/**
 * Reads the JSON object of a POST. Errors: 400 `invalid_json`, or `invalid_argument` for too many values, 408, 413, 415
 * for a compressed body.
 */
async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  requirePlainBody(request.headers);
  const value = await parseJsonBody(await readBodyBytes(request, maxBytes), { limits: BODY_LIMITS });
  if (Array.isArray(value))
    throw new ServiceError('invalid_argument',
      'batches are not supported: send one operation in each request, as an object');
  return requireJsonObject(value);
}
