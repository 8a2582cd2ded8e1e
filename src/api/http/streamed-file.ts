import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { bodyError, ServiceError } from '../../errors/index.ts';
import { BodyCutOff, cutOffBefore, expectStream, SLOW_BODY } from '../../lib/request-bytes.ts';
import type { OperationSpec } from '../../operations/index.ts';

const FORM = 'multipart/form-data';
const RAW = 'application/octet-stream';

/** Limits of a form, besides its file. */
const LIMITS = { fields: 32, fieldNameSize: 100, fieldSize: 4096, files: 1, parts: 40, headerPairs: 50 };

/** A file that arrives with a request, and the fields before it. */
export interface StreamedFile {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: AsyncIterable<Uint8Array>;
}

/** Whether an operation reads a file while it arrives: as the bare body, or as the part `file` of a form. */
export function takesStream({ consumes }: OperationSpec): boolean {
  return consumes.includes(RAW);
}

/**
 * Begins to read such a request; resolves when the file begins. The file is read only as fast as the consumer reads it.
 * Data that the consumer leaves unread is discarded, so that the client can read the response.
 * Errors: 400 for a form without a file, 415; reading the file itself may throw 400, 408 or 429.
 */
export async function readStreamedFile(request: IncomingMessage, spec: OperationSpec): Promise<StreamedFile> {
  const header = request.headers['content-type'] ?? '';
  const type = header.split(';', 1)[0]!.trim().toLowerCase();
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new ServiceError('unsupported_media_type',
      `content encoding "${encoding.slice(0, 80)}" is not supported; send the file as it is`);
  if (!spec.consumes.includes(type))
    throw new ServiceError('unsupported_media_type',
      `content type "${header.slice(0, 80)}" is not supported; send ${spec.consumes.join(', ')}`);
  const cutOff = cutOffBefore(request);
  if (cutOff !== undefined) throw bodyError(cutOff);
  return type === FORM ? readForm(request) : { fields: new Map(), file: piecesOf(request) };
}

/**
 * A body as it arrives. What the consumer leaves of it is discarded. Throws 400 if it is cut off, 408 and 429 if it is
 * given up.
 */
export async function* piecesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const cutOff = cutOffBefore(request);
  if (cutOff !== undefined) throw bodyError(cutOff);
  expectStream(request);
  const body = new PassThrough();
  endWith(request, body);
  request.pipe(body);
  yield* taken(request, body);
}

function readForm(request: IncomingMessage): Promise<StreamedFile> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      request.unpipe();
      request.resume();
      reject(error);
    };
    let form: busboy.Busboy;
    try {
      form = busboy({ headers: request.headers, limits: LIMITS });
    } catch (error) {
      return fail(
        new ServiceError('invalid_argument', `the form cannot be read: ${(error as Error).message.slice(0, 200)}`, {
          cause: error,
        }),
      );
    }
    const fields = new Map<string, string[]>();
    let file: Readable | undefined;
    form.on('field', (name, value, { nameTruncated, valueTruncated }) => {
      // Fields after the file arrive too late to affect how it is read.
      if (file !== undefined)
        file.destroy(new ServiceError('invalid_argument', `the field ${name} must come before file`));
      else if (nameTruncated || valueTruncated)
        fail(
          new ServiceError('invalid_argument',
            `the field ${name} of the form is longer than ${LIMITS.fieldSize} bytes`),
        );
      else fields.set(name, [...(fields.get(name) ?? []), value]);
    });
    form.on('file', (name, stream) => {
      if (name !== 'file') {
        stream.resume();
        return fail(
          new ServiceError('invalid_argument',
            `the form must have its file in the part file, got ${name.slice(0, 80)}`),
        );
      }
      file = stream;
      expectStream(request);
      // For a form that ends within its file, only that error is reported.
      stream.once('error', () => undefined);
      resolve({ fields, file: taken(request, stream) });
      return undefined;
    });
    form.on('error',
      (
        error,
      ) => (file === undefined
        ? fail(
          new ServiceError('invalid_argument', `the form cannot be read: ${(error as Error).message.slice(0, 200)}`, {
            cause: error,
          }),
        )
        : file.destroy(error as Error)));
    for (const event of ['partsLimit', 'fieldsLimit'] as const)
      form.on(event, () => fail(new ServiceError('invalid_argument', 'the form has too many parts')));
    form.on('close',
      () => (file === undefined ? fail(new ServiceError('missing_fields', 'missing fields: file')) : undefined));
    endWith(request, { destroy: (error) => (file === undefined ? fail(bodyError(error)) : file.destroy(error)) });
    request.pipe(form);
  });
}

/** Tells the reader that no more data comes although the file is incomplete. */
function endWith(request: IncomingMessage, reader: { destroy(error: Error): unknown }): void {
  request.once('error', (error) => reader.destroy(new BodyCutOff(error)));
  request.once('aborted', () => reader.destroy(new BodyCutOff()));
  request.once(SLOW_BODY, (error: Error) => reader.destroy(error));
}

async function* taken(request: IncomingMessage, stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream) yield piece as Buffer;
  } catch (error) {
    throw error instanceof ServiceError ? error : bodyError(error);
  } finally {
    request.unpipe();
    request.resume();
  }
}
