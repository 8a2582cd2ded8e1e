import type { FileHandle } from 'node:fs/promises';
import { S3mini, S3NetworkError, S3ServiceError } from 's3mini';
import { refusalIn } from './guarded-fetch.ts';
import type { Outbound } from './outbound.ts';

/** An object in a list. */
export interface ListedObject {
  readonly name: string;
  /** When it was last put, in milliseconds since 1970. */
  readonly putAt: number;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Token with which the next page is requested; undefined for the last page. */
  readonly next: string | undefined;
}

/**
 * A store for objects. Names consist of hexadecimal digits, and the content of a name never changes, unless the store
 * was made for paths: then they are paths of letters, digits, `-`, `_` and `~`, whose objects may be replaced.
 */
export interface ObjectStore {
  /** Resolves when the object is stored; an existing object is written again. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns undefined if there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Also resolves if there is none. */
  remove(name: string): Promise<void>;
  /** Pages of all objects, in no particular order; of a store for paths, those whose names begin with `under`. */
  list(from: string | undefined, under?: string): Promise<ObjectPage>;
}

/** The configuration field that is wrong if a store refuses a request. */
type StorageField = 'endpoint' | 'bucket' | 'region' | 'accessKey' | 'secretKey' | 'prefix';

/** A store that refuses or fails a request. */
export class StoreFailure extends Error {
  readonly field: StorageField;
  /** Whether the same request may succeed later. */
  readonly passes: boolean;

  /** The message is shown to users: it contains no credential and no resolved address. */
  constructor(message: string,
    { field, passes, cause }: { readonly field: StorageField; readonly passes: boolean; readonly cause?: unknown })
  {
    super(message, { cause });
    this.name = 'StoreFailure';
    this.field = field;
    this.passes = passes;
  }
}

/**
 * Parts in which files are put and read: at least 5 MiB, and at most 10,000 of them, so that a file may have 80 GiB.
 */
export const PART_BYTES = 8 * 2 ** 20;

/**
 * Puts an object in parts, of which one at a time is in memory; in one request where one part is enough. `read` is
 * called once for each part, in order.
 */
export async function putInParts(client: S3mini, path: string, size: number,
  read: (at: number, length: number) => Promise<Uint8Array>): Promise<void>
{
  if (size <= PART_BYTES) {
    await (await client.putObject(path, await read(0, size))).body?.cancel();
    return;
  }
  const upload = await client.getMultipartUploadId(path, 'application/octet-stream');
  try {
    const parts = [];
    for (let at = 0; at < size; at += PART_BYTES)
      parts.push(
        await client.uploadPart(path, upload, await read(at, Math.min(PART_BYTES, size - at)), parts.length + 1),
      );
    await client.completeMultipartUpload(path, upload, parts);
  } catch (error) {
    // What is left of it takes storage, but is no object.
    await client.abortMultipartUpload(path, upload).catch(() => undefined);
    throw error;
  }
}

/** Reads exactly these bytes of a file. Throws when the file has become shorter. */
export async function readPart(file: Pick<FileHandle, 'read'>, at: number, length: number): Promise<Uint8Array> {
  const part = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(part, done, length - done, at + done);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    done += bytesRead;
  }
  return part;
}

/** The settings of a bucket, as in a collection's configuration. */
export interface S3Settings {
  /** Host and port, with or without a scheme. */
  readonly endpoint?: string;
  readonly bucket?: string;
  readonly region?: string;
  readonly accessKey?: string;
  readonly secretKey?: string;
  readonly prefix?: string;
  readonly useTLS?: boolean;
}

interface S3StoreOptions {
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** Folder of the objects, below the prefix. */
  readonly folder: string;
  /** Time limit for one request, including its response. */
  readonly timeoutMs: number;
  /** The same for a request that removes an object. Default: `timeoutMs`. */
  readonly removeTimeoutMs?: number;
  /** Whether names are paths in the folder; hexadecimal names are spread over folders. */
  readonly paths?: boolean;
}

/** Bodies are limited by the size of a request, and their objects are hardly larger. */
const MAX_OBJECT_BYTES = 512 * 2 ** 20;

const PAGE = 1000;

/** Whoever signs as someone else signs for the region that most services that are not Amazon's take any request for. */
const DEFAULT_REGION = 'us-east-1';

/** Headers for connection and framing are set by the client below, which refuses them from callers. */
const NOT_OURS = new Set(['host', 'content-length']);

/** Explanations of services' error codes, in the terms of the configuration. */
const FIELD_OF_CODE: Readonly<Record<string, StorageField>> = {
  NoSuchBucket: 'bucket',
  InvalidBucketName: 'bucket',
  AllAccessDisabled: 'bucket',
  InvalidAccessKeyId: 'accessKey',
  SignatureDoesNotMatch: 'secretKey',
  AccessDenied: 'secretKey',
  AuthorizationHeaderMalformed: 'region',
  IllegalLocationConstraintException: 'region',
  PermanentRedirect: 'region',
  KeyTooLongError: 'prefix',
};

/** Objects in a bucket of an S3-compatible service, with path-style addresses and signature version 4. */
export class S3Store implements ObjectStore {
  readonly #client: S3mini;
  readonly #remover: S3mini;
  /** The first with the prefix, the second without. */
  readonly #folder: string;
  readonly #own: string;
  readonly #paths: boolean;

  /** Throws `StoreFailure` if the settings do not form a valid address. */
  constructor(settings: S3Settings,
    { outbound, folder, timeoutMs, removeTimeoutMs = timeoutMs, paths = false }: S3StoreOptions)
  {
    this.#paths = paths;
    const { bucket = '', region = '', accessKey = '', secretKey = '' } = settings;
    this.#own = `${folder}/`;
    this.#folder = `${prefixOf(settings)}${this.#own}`;
    const clientWithin = (limitMs: number) =>
      new S3mini({
        endpoint: `${baseOf(settings)}/${encodeURIComponent(bucket)}`,
        region: region || DEFAULT_REGION,
        accessKeyId: accessKey,
        secretAccessKey: secretKey,
        fetch: ownFetch(outbound.fetch({ maxBytes: MAX_OBJECT_BYTES, timeoutMs: limitMs })),
      });
    this.#client = clientWithin(timeoutMs);
    this.#remover = clientWithin(removeTimeoutMs);
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return asking(async () => void (await this.#client.putObject(this.#pathOf(name), bytes)).body?.cancel());
  }

  /** Uploads a file of this size in parts; one part at a time is in memory. */
  putFile(name: string, file: Pick<FileHandle, 'read'>, size: number): Promise<void> {
    return asking(() => putInParts(this.#client, this.#pathOf(name), size, (at, length) => readPart(file, at, length)));
  }

  async has(name: string): Promise<boolean> {
    return asking(async () => (await this.#client.objectExists(this.#pathOf(name))) === true);
  }

  /**
   * The bytes from `start` to `end`, both inclusive, in parts that are requested as needed. Throws `StoreFailure` if
   * the object does not exist.
   */
  async *read(name: string, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at <= end; at += PART_BYTES) {
      yield await asking(async () => {
        const answer = await this.#client.getObjectRaw(this.#pathOf(name), false, at,
          Math.min(at + PART_BYTES, end + 1)); // the end is exclusive
        return new Uint8Array(await answer.arrayBuffer());
      });
    }
  }

  get(name: string): Promise<Uint8Array | undefined> {
    return asking(async () => {
      const bytes = await this.#client.getObjectArrayBuffer(this.#pathOf(name));
      return bytes === null ? undefined : new Uint8Array(bytes);
    });
  }

  remove(name: string): Promise<void> {
    return asking(async () => void (await this.#remover.deleteObject(this.#pathOf(name))));
  }

  list(from: string | undefined, under = ''): Promise<ObjectPage> {
    return asking(async () => {
      const page = await this.#client.listObjectsPaged('/', `${this.#folder}${under}`, PAGE, from);
      if (page == null) throw new StoreFailure('there is no such bucket', { field: 'bucket', passes: false });
      const objects = (page.objects ?? []).flatMap(({ Key: key, LastModified: at }) => this.#listed(String(key), at));
      return { objects, next: page.nextContinuationToken };
    });
  }

  /** Names are spread over folders by their first digits, as some services recommend. */
  #pathOf(name: string): string {
    return `${this.#folder}${this.#paths ? '' : `${name.slice(0, 2)}/`}${name}`;
  }

  /** Objects with other names were not written by this store. */
  #listed(path: string, at: unknown): ListedObject[] {
    const putAt = new Date(at as string).getTime();
    // The prefix in the response is encoded as the service chooses.
    if (this.#paths) {
      const start = path.lastIndexOf(this.#own);
      return start < 0 || Number.isNaN(putAt) ? [] : [{ name: path.slice(start + this.#own.length), putAt }];
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    return path.endsWith(`${this.#own}${name.slice(0, 2)}/${name}`) && Number.isFinite(putAt) ? [{ name, putAt }] : [];
  }
}

/** What tells one place of a collection from another; credentials may change. */
export function targetOf(settings: S3Settings): string {
  return JSON.stringify([baseOf(settings), settings.bucket ?? '', prefixOf(settings)]);
}

/** With a slash at its end, unless it is empty. */
function prefixOf({ prefix = '' }: S3Settings): string {
  const trimmed = prefix.replace(/^\/+/, '');
  return trimmed === '' || trimmed.endsWith('/') ? trimmed : `${trimmed}/`;
}

function baseOf({ endpoint = '', useTLS = false }: S3Settings): string {
  const url = URL.parse(/^https?:\/\//i.test(endpoint) ? endpoint : `${useTLS ? 'https' : 'http'}://${endpoint}`);
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '' || url.search !== '' ||
    url.hash !== '')
  {
    throw new StoreFailure('expected a host with an optional port, such as s3.example.org or 10.1.2.3:9000', {
      field: 'endpoint',
      passes: false,
    });
  }
  return `${url.origin}${url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname}`;
}

/**
 * The guarded `fetch` without the headers that it refuses. Redirects are not followed, because they would carry a
 * signature to another service.
 */
function ownFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init = {}) => {
    const headers = Object.entries(init.headers as Record<string, string>).filter(([name]) =>
      !NOT_OURS.has(name.toLowerCase())
    );
    return fetch(input, { ...init, body: init.body === '' ? null : init.body ?? null, headers, redirect: 'manual' });
  };
}

async function asking<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof StoreFailure ? error : toFailure(error);
  }
}

/** Messages never quote the response, because the service is chosen by a user and not trusted. */
function toFailure(cause: unknown): StoreFailure {
  if (cause instanceof S3ServiceError) return answered(cause);
  const refused = refusalIn(cause);
  if (refused !== undefined)
    return new StoreFailure(refused.message, { field: 'endpoint', passes: refused.rule === 'time', cause });
  const code = cause instanceof S3NetworkError ? ` (${cause.code})` : '';
  return new StoreFailure(`the service cannot be reached${code}`, { field: 'endpoint', passes: true, cause });
}

function answered(cause: S3ServiceError): StoreFailure {
  const { status } = cause;
  const code = /^\w{1,40}$/.test(cause.serviceCode ?? '') && cause.serviceCode !== 'Unknown'
    ? cause.serviceCode!
    : undefined;
  const field = (code === undefined ? undefined : FIELD_OF_CODE[code]) ?? fieldOfStatus(status);
  const passes = status >= 500 || status === 429 || status === 408;
  return new StoreFailure(`the service returned ${status}${code === undefined ? '' : ` ${code}`}`, {
    field,
    passes,
    cause,
  });
}

function fieldOfStatus(status: number): StorageField {
  if (status === 401 || status === 403) return 'secretKey';
  if (status === 404) return 'bucket';
  return status >= 300 && status < 400 ? 'region' : 'endpoint';
}
