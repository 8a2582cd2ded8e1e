import type { IncomingMessage } from 'node:http';
import { bodyError, ServiceError } from '../../../errors/index.ts';
import { BodyGivenUp, BodyTooLarge, readRequestBytes } from '../../../lib/request-bytes.ts';
import { parseJsonBody } from '../../../operations/index.ts';
import { INVALID_REQUEST, PARSE_ERROR, REFUSED } from '../core/fault.ts';
import { Refusal } from './exchange.ts';

/** Nesting depth and values of a message: the SDKs visit messages recursively, and all at once. */
const LIMITS = { maxDepth: 128, maxValues: 200_000 };

/** Reads one JSON-RPC message. Throws a `Refusal`: 408, 413, 415, 429, or 400 if the body is not one JSON object. */
export async function readMessage(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const type = request.headers['content-type']?.toLowerCase() ?? '';
  if (type.split(';')[0]!.trim() !== 'application/json')
    throw new Refusal(415, REFUSED, 'Content-Type must be application/json');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal(415, REFUSED, 'the body must not be compressed');
  const message = await parse(await readBytes(request, maxBytes));
  // Batches were removed in revision 2025-06-18.
  if (Array.isArray(message))
    throw new Refusal(400, INVALID_REQUEST, 'Invalid Request: batches are not part of the supported revisions');
  if (message === null || typeof message !== 'object')
    throw new Refusal(400, INVALID_REQUEST, 'Invalid Request: the body must be a JSON-RPC message');
  return message as Record<string, unknown>;
}

async function parse(bytes: Buffer): Promise<unknown> {
  let value: unknown;
  try {
    value = await parseJsonBody(bytes, { limits: LIMITS });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'invalid_json')
      throw new Refusal(400, PARSE_ERROR, error.message.replace('invalid JSON', 'Parse error'));
    throw new Refusal(400, INVALID_REQUEST, `Invalid Request: ${error.message}`);
  }
  if (isDeeper(value, LIMITS.maxDepth))
    throw new Refusal(400, INVALID_REQUEST,
      `Invalid Request: the message is nested deeper than ${LIMITS.maxDepth} levels`);
  return value;
}

/** Whether a value is nested deeper than this many levels; stops at that depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await readRequestBytes(request, maxBytes);
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new Refusal(413, REFUSED, error.message, { headers: { Connection: 'close' } });
    if (error instanceof BodyGivenUp) throw refusalOf(bodyError(error));
    throw new Refusal(400, PARSE_ERROR, `Parse error: ${(error as Error).message}`);
  }
}

function refusalOf({ status, message, headers = {} }: ServiceError): Refusal {
  return new Refusal(status, REFUSED, message, { headers });
}
