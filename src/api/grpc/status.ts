import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Metadata, status as codes, type StatusObject } from '@grpc/grpc-js';
import { ERRORS, type ServiceError } from '../../errors/index.ts';
import { toServiceError } from '../../operations/index.ts';
import { CallEnded } from './request.ts';

/** Bytes of metadata: clients reject more than 8 KiB, and text grows when it is escaped for the wire. */
const MAX_MESSAGE = 1024;
const MAX_DETAILS = 2048;
const MAX_VIOLATION = 200;

const DOMAIN = 'quire.docs.v1';

/**
 * The status of a failed call: the code's gRPC status, the message, and in the trailing metadata `quire-code`,
 * `x-request-id` and google.rpc.Status with ErrorInfo (the code as reason), BadRequest (one violation for each message)
 * and, if there is a delay, RetryInfo.
 */
export function statusOf(thrown: unknown, requestId: string): StatusObject {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  if (thrown instanceof CallEnded) return { code: codes[thrown.status], details: thrown.message, metadata };
  const error = toServiceError(thrown);
  const code = codes[ERRORS[error.code].grpc];
  const details = shorten(error.message, MAX_MESSAGE);
  metadata.set('quire-code', error.code);
  for (const [name, value] of Object.entries(error.headers ?? {}))
    if (!HOP_BY_HOP.has(name)) metadata.set(name.toLowerCase(), value);
  metadata.set('grpc-status-details-bin', Buffer.from(richStatus(code, details, error)));
  return { code, details, metadata };
}

/** Headers that concern an HTTP connection only. */
const HOP_BY_HOP = new Set(['Connection', 'Allow']);

/** Shortens a text to this many characters, and never splits a surrogate pair, which could not be escaped. */
function shorten(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 1)}…` : text).toWellFormed();
}

/** google.rpc.Status: 1 code, 2 message, 3 details, each a google.protobuf.Any. */
function richStatus(code: number, message: string, error: ServiceError): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int32(code);
  // The message is also sent outside these details.
  writer.tag(2, WireType.LengthDelimited).string(shorten(message, MAX_VIOLATION));
  any(writer, 'google.rpc.ErrorInfo', errorInfo(error));
  if (code === codes.INVALID_ARGUMENT) any(writer, 'google.rpc.BadRequest', badRequest(error));
  const seconds = Number(error.headers?.['Retry-After']);
  if (Number.isSafeInteger(seconds) && seconds > 0) any(writer, 'google.rpc.RetryInfo', retryInfo(seconds));
  return writer.finish();
}

function any(writer: BinaryWriter, type: string, value: Uint8Array): void {
  writer.tag(3, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/${type}`);
  writer.tag(2, WireType.LengthDelimited).bytes(value);
  writer.join();
}

/** 1 reason, 2 domain, 3 metadata: the fields that the HTTP adapter adds to the body of this error. */
function errorInfo(error: ServiceError): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string(error.code);
  writer.tag(2, WireType.LengthDelimited).string(DOMAIN);
  for (const [name, value] of Object.entries(error.body ?? {})) {
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    writer.tag(3, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(name);
    writer.tag(2, WireType.LengthDelimited).string(shorten(shown ?? '', MAX_VIOLATION));
    writer.join();
  }
  return writer.finish();
}

/** 1 violations, each of 1 field and 2 description; as many as fit. */
function badRequest({ errors, message }: ServiceError): Uint8Array {
  const writer = new BinaryWriter();
  let length = 0;
  for (const line of errors ?? [message]) {
    const description = shorten(line, MAX_VIOLATION);
    length += Buffer.byteLength(description);
    if (length > MAX_DETAILS) break;
    for (const field of fieldsOf(line)) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(field.toWellFormed());
      writer.tag(2, WireType.LengthDelimited).string(description);
      writer.join();
    }
  }
  return writer.finish();
}

/** The fields that a message names, as in `missing fields: key, lang` or `limit must be ...`. */
function fieldsOf(line: string): string[] {
  const missing = /^missing fields: (.+)$/.exec(line)?.[1];
  if (missing !== undefined) return missing.split(', ').slice(0, 10).map((name) => name.slice(0, 80));
  return [(/^([\w.[\]]{1,80}) must /.exec(line)?.[1]) ?? ''];
}

/** 1 delay, a google.protobuf.Duration of 1 seconds. */
function retryInfo(seconds: number): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(seconds);
  writer.join();
  return writer.finish();
}
