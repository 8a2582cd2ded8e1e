import busboy, { type Busboy, type FieldInfo, type FileInfo } from 'busboy';
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { bodyError, ServiceError } from '../../errors/index.ts';
import { BodyCutOff, BodyGivenUp, BodyTooLarge, cutOffBefore, expectStream,
  SLOW_BODY } from '../../lib/request-bytes.ts';
import type { Spool } from '../../lib/spool.ts';
import type { OperationSpec } from '../../operations/index.ts';

/** Limits of a form, besides the bytes of each file. */
const MAX_FILES = 1000;
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_FORM_BYTES = 2 * 1024 ** 3;

/** Most bytes of a file that are stored, unless the field `maxSize` precedes it with a smaller limit. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

/** The part of an input's schema that determines how the text of a field is converted. */
interface FieldSchema {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: FieldSchema;
  readonly 'x-file'?: boolean;
}

export interface FormSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly $defs?: Readonly<Record<string, FieldSchema>>;
}

interface FormOptions {
  /** Schema of the operation's input. */
  readonly schema: FormSchema;
  /** Where the files are stored. */
  readonly spool: Spool;
  /** Called with the fields before the first file; the file is not read until it resolves. */
  readonly precheck: (fields: object) => Promise<void>;
}

/** Whether an operation accepts forms only. */
export function isForm({ consumes }: Pick<OperationSpec, 'consumes'>): boolean {
  return consumes.length === 1 && consumes[0] === 'multipart/form-data';
}

/**
 * Reads a form (RFC 7578) as the flat input of an operation: numbers, booleans and JSON by the schema's types, files as
 * `File`s that the spool stores. One file of a single-file field stays under its name; several files become a list
 * under the schema's field for a list of files. Rejects with 400, 408, 413, 415 or 429.
 */
export async function readForm(request: IncomingMessage, options: FormOptions): Promise<Record<string, unknown>> {
  const cutOff = cutOffBefore(request);
  if (cutOff !== undefined) throw bodyError(cutOff);
  const parser = parserOf(request);
  const form = new Form(options);
  try {
    await new Promise<void>((resolve, reject) => {
      request.once(SLOW_BODY, reject);
      request.once('error', (cause) => reject(new BodyCutOff(cause)));
      request.once('close', () => !request.complete && reject(new BodyCutOff()));
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_FORM_BYTES) reject(new BodyTooLarge(MAX_FORM_BYTES));
      });
      parser.on('field', (name, text, info) => void form.addField(name, text, info).catch(reject));
      parser.on('file', (name, stream, info) => {
        expectStream(request);
        void form.addFile(name, stream, info).catch(reject);
      });
      parser.on('filesLimit', () =>
        reject(new ServiceError('payload_too_large', `a form has at most ${MAX_FILES} files`)));
      parser.on('fieldsLimit', () =>
        reject(new ServiceError('payload_too_large', `a form has at most ${MAX_FIELDS} fields`)));
      parser.on('error', (error) =>
        reject(new ServiceError('invalid_argument', `invalid form: ${(error as Error).message}`)));
      parser.on('close', () => void form.settled().then(resolve, reject));
      request.pipe(parser);
    });
  } catch (error) {
    request.unpipe(parser);
    parser.destroy();
    // The rest of the body is read and discarded, so that the client reaches the point at which it reads the response.
    request.resume();
    throw asServiceError(error);
  }
  return form.input();
}

function parserOf(request: IncomingMessage): Busboy {
  const type = request.headers['content-type'];
  if (type === undefined)
    throw new ServiceError('unsupported_media_type', 'the body has no Content-Type; send multipart/form-data');
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type))
    throw new ServiceError('unsupported_media_type',
      `content type "${type.slice(0, 80)}" is not supported; send multipart/form-data`);
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { files: MAX_FILES, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fieldNameSize: 100 },
    });
  } catch (error) {
    throw new ServiceError('invalid_argument', `invalid form: ${(error as Error).message}`, { cause: error });
  }
}

class Form {
  readonly #options: FormOptions;
  readonly #fields = new Map<string, unknown>();
  readonly #files: { readonly field: string; readonly file: Promise<File> }[] = [];
  #checked: Promise<void> | undefined;

  constructor(options: FormOptions) {
    this.#options = options;
  }

  async addField(name: string, text: string, { nameTruncated, valueTruncated }: FieldInfo): Promise<void> {
    if (nameTruncated || valueTruncated)
      throw new ServiceError('payload_too_large', `${shown(name)} must be at most ${MAX_FIELD_BYTES} bytes`);
    if (this.#fields.has(name)) throw new ServiceError('invalid_argument', `${shown(name)} is given more than once`);
    const schema = this.#schemaOf(name);
    if (isFileField(schema))
      throw new ServiceError('invalid_argument', `${shown(name)} must be a file; its part needs a file name`);
    this.#fields.set(name, parseField(name, text, schema?.type));
  }

  addFile(field: string, stream: Readable, { filename, mimeType }: FileInfo): Promise<File> {
    // A client that disconnects breaks the stream. The error is ignored here because the reader of the stream receives
    // it, too.
    stream.on('error', () => undefined);
    const file = this.#store(stream, filename ?? '', mimeType);
    file.catch(() => stream.resume());
    this.#files.push({ field, file });
    return file;
  }

  async #store(stream: Readable, name: string, type: string): Promise<File> {
    this.#checked ??= this.#options.precheck(Object.fromEntries(this.#fields));
    await this.#checked;
    const asked = this.#fields.get('maxSize');
    const maxBytes = typeof asked === 'number' && asked > 0 ? Math.min(asked, MAX_FILE_BYTES) : MAX_FILE_BYTES;
    return this.#options.spool.store(stream as AsyncIterable<Uint8Array>, { name, type, maxBytes, ownsPieces: true });
  }

  /** Waits until all files are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#files.map(({ file }) => file));
    await (this.#checked ?? this.#options.precheck(Object.fromEntries(this.#fields)));
  }

  async input(): Promise<Record<string, unknown>> {
    // Uses entries instead of assignments, so that `__proto__` is an ordinary name.
    const input = [...this.#fields];
    const parts = await Promise.all(this.#files.map(async ({ field, file }) => ({ field, file: await file })));
    const list = Object.keys(this.#options.schema.properties ?? {}).find((name) =>
      this.#schemaOf(name)?.items?.['x-file'] === true
    );
    const files = parts.filter(({ field }) => isFileField(this.#schemaOf(field)));
    if (list !== undefined && (files.length > 1 || files.some(({ field }) => field === list)))
      input.push([list, files.map(({ file }) => file)]);
    else if (files[0] !== undefined) input.push([files[0].field, files[0].file]);
    // Files under unknown field names: validation rejects them by their names.
    for (const { field, file } of parts) if (!isFileField(this.#schemaOf(field))) input.push([field, file]);
    return Object.fromEntries(input);
  }

  #schemaOf(name: string): FieldSchema | undefined {
    const { properties = {}, $defs = {} } = this.#options.schema;
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return schema?.$ref === undefined ? schema : $defs[schema.$ref.slice('#/$defs/'.length)];
  }
}

function isFileField(schema: FieldSchema | undefined): boolean {
  return schema?.['x-file'] === true || schema?.items?.['x-file'] === true;
}

/** A text that cannot be converted to its type stays text, so that validation rejects it by the field's name. */
function parseField(name: string, text: string, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type !== 'object' && type !== 'array') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('invalid_argument', `${name} must be JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

const shown = (name: string): string => name.slice(0, 80).toWellFormed();

function asServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  if (error instanceof BodyTooLarge || error instanceof BodyGivenUp || error instanceof BodyCutOff)
    return bodyError(error);
  if (error instanceof Error && 'code' in error && DISK.has(String(error.code)))
    return new ServiceError('unavailable', 'the files cannot be kept until they are converted', { cause: error });
  return error;
}

const DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE']);

const FORM = 'multipart/form-data';
const RAW = 'application/octet-stream';

/** Limits of a form, besides its file. */
const STREAMED_LIMITS = { fields: 32, fieldNameSize: 100, fieldSize: 4096, files: 1, parts: 40, headerPairs: 50 };

/** A file that arrives with a request, and the fields before it. */
interface StreamedFile {
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
  return type === FORM ? readStreamedForm(request) : { fields: new Map(), file: piecesOf(request) };
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
  passEnd(request, body);
  request.pipe(body);
  yield* taken(request, body);
}

function readStreamedForm(request: IncomingMessage): Promise<StreamedFile> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      request.unpipe();
      request.resume();
      reject(error);
    };
    let form: busboy.Busboy;
    try {
      form = busboy({ headers: request.headers, limits: STREAMED_LIMITS });
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
            `the field ${name} of the form is longer than ${STREAMED_LIMITS.fieldSize} bytes`),
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
    passEnd(request, { destroy: (error) => (file === undefined ? fail(bodyError(error)) : file.destroy(error)) });
    request.pipe(form);
  });
}

/** Tells the reader that no more data comes although the file is incomplete. */
function passEnd(request: IncomingMessage, reader: { destroy(error: Error): unknown }): void {
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
