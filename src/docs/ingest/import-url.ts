import type { Operations } from '../../../generated/docs/operations.ts';
import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type Converter, extensionOf, formatOfExtension, formatOfMediaType } from '../../convert/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Outbound, RefusedRequest } from '../../net/index.ts';
import { type Context, type Handlers, type InputOf, mayReadAll } from '../../operations/index.ts';
import { urlKey } from '../../text/url-key.ts';
import type { Documents } from '../documents/index.ts';
import { convertFile, failureOf } from './upload-files.ts';

interface ImportDeps {
  readonly converter: Converter;
  readonly outbound: Pick<Outbound, 'fetch' | 'refusal'>;
  readonly writer: Documents['writer'];
  readonly getDocument: Documents['handlers']['getDocument'];
  /** Version of this build. */
  readonly version: string;
}

type ImportInput = InputOf<Operations, 'importUrl'>;

/** Metadata keys for the origin of a page and the validators of its version. */
const SOURCE = { url: 'source_url', etag: 'source_etag', modified: 'source_modified' } as const;

/**
 * `POST /v1/import-url` (contract section 4). A page that was imported before is requested conditionally; if it has not
 * changed, the stored document is returned. This requires that the request would not change metadata or expiry.
 */
export function importUrl(deps: ImportDeps): Required<Handlers<Operations>>['importUrl'] {
  return async (input, context) => {
    const { collection, url, lang } = input;
    const key = input.key || urlKey(url, 'path');
    const name = { collection, key, lang };
    // Whether the page is requested conditionally, and with what, shows its server what is stored.
    const mayRead = mayReadAll(context.identity, collection);
    const stored = mayRead ? await find(deps, name, context) : undefined;
    const page = await fetchPage(url, validatorsOf(stored, input), {
      outbound: deps.outbound,
      version: deps.version,
      signal: context.signal,
    });
    if (page === undefined) return stored!;
    const item = await toItem(deps, page, input, context.signal);
    const { errors } = await deps.writer.put(collection, [{ ...item, key, lang, ttl: input.ttl, saveRevision: true }], {
      skipDuplicates: mayRead ? { ignoredMeta: [] } : undefined,
      signal: context.signal,
      by: context,
    });
    if (errors[0] !== undefined) throw failureOf(errors[0]);
    const document = await find(deps, name, context);
    if (document === undefined) throw new ServiceError('conflict', 'the document was deleted while it was stored');
    return document;
  };
}

type Stored = Omit<Document, 'checksum'>;

async function find({ getDocument }: ImportDeps, name: { collection: string; key: string; lang: string },
  context: Context): Promise<Stored | undefined>
{
  try {
    const found = await getDocument(name, context);
    const { checksum: _, ...document } = 'value' in found ? found.value : found;
    return document;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The validators of the stored version; none if the request would change more than the page. */
function validatorsOf(stored: Stored | undefined, { url, meta = {}, ttl }: ImportInput): Validators {
  if (stored === undefined || ttl !== undefined || stored.meta[SOURCE.url]?.[0] !== url) return {};
  const isKept = Object.entries(meta).every(([name, values]) =>
    JSON.stringify(stored.meta[name]) === JSON.stringify(values)
  );
  return isKept ? { etag: stored.meta[SOURCE.etag]?.[0], modified: stored.meta[SOURCE.modified]?.[0] } : {};
}

async function toItem({ converter }: ImportDeps, page: Page, { url, meta = {} }: ImportInput,
  signal: AbortSignal): Promise<{ contentMd: string; meta: Record<string, string[]> }>
{
  const name = nameOfPage(page.contentType, new URL(page.url));
  if (name === undefined)
    throw new ServiceError('invalid_argument',
      `url holds ${mediaTypeOf(page.contentType).slice(0, 80) || 'data'}, which is no format that can be stored`);
  const { contentMd, meta: own } = await convertFile(converter, { bytes: page.bytes, ...name }, 'url holds a file that',
    { mainContent: true, baseUrl: page.url, signal });
  const found = Object.fromEntries(Object.entries(own).map(([name, values]) => [name, [...values]]));
  const { [SOURCE.etag]: _, [SOURCE.modified]: _modified, ...rest } = { ...found, ...meta };
  return {
    contentMd,
    meta: {
      ...rest,
      [SOURCE.url]: [url],
      ...(page.etag !== undefined && { [SOURCE.etag]: [page.etag] }),
      ...(page.modified !== undefined && { [SOURCE.modified]: [page.modified] }),
    },
  };
}

/** Media types that servers send for files of unknown type. */
const UNSPECIFIC: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** The names by which the converter recognizes the format of a page. */
interface PageName {
  /** A name with the extension of its format, or without one if only the content shows the format. */
  readonly name: string;
  readonly contentType?: string;
}

/**
 * The declared format of a page: from its media type, or from the extension of its URL's path if the media type is
 * unknown or only says that it is text. Undefined if its type cannot be stored.
 */
export function nameOfPage(contentType: string, url: URL): PageName | undefined {
  const type = mediaTypeOf(contentType);
  const byPath = formatOfExtension(extensionOf(url.pathname));
  if (UNSPECIFIC.has(type)) return { name: byPath === undefined ? 'page' : `page.${byPath}` };
  const converted = formatOfMediaType(contentType);
  if (type === 'text/plain') return { name: `page.${byPath ?? 'txt'}`, contentType };
  if (converted === undefined && !type.startsWith('text/')) return undefined;
  return { name: `page.${converted ?? 'txt'}`, contentType };
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** The validators that a server sent with a version of a page, for conditional requests. */
interface Validators {
  readonly etag?: string | undefined;
  readonly modified?: string | undefined;
}

interface Page extends Validators {
  readonly bytes: Uint8Array;
  /** As the server sent it; empty if it did not. */
  readonly contentType: string;
  /** The URL after redirects. */
  readonly url: string;
}

/** Few, because the server waits for a stranger. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 10 * 1024 * 1024 };

/** Maximum length of a stored validator. */
const MAX_VALIDATOR = 1024;

const ACCEPT = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5';

interface FetchOptions {
  readonly outbound: Pick<Outbound, 'fetch' | 'refusal'>;
  /** Version of this build, for `User-Agent`. */
  readonly version: string;
  readonly signal: AbortSignal;
}

/**
 * A page; undefined if it is still the version of the validators. Throws `invalid_argument` if it cannot be fetched.
 */
async function fetchPage(url: string, { etag, modified }: Validators,
  { outbound, version, signal }: FetchOptions): Promise<Page | undefined>
{
  const refusal = outbound.refusal(url);
  if (refusal !== undefined)
    throw new ServiceError('invalid_argument', `url must be an address that this server may call: ${refusal}`);
  const headers = {
    Accept: ACCEPT,
    'User-Agent': `quire/${version}`,
    ...(etag !== undefined && { 'If-None-Match': etag }),
    ...(modified !== undefined && { 'If-Modified-Since': modified }),
  };
  try {
    const answer = await outbound.fetch(LIMITS)(url, { headers, signal });
    const isKnown = answer.status === 304 && (etag ?? modified) !== undefined;
    if (answer.status !== 200) await answer.body?.cancel();
    if (isKnown) return undefined;
    if (answer.status !== 200) throw unfetched(`the server returned ${answer.status}`);
    return {
      bytes: new Uint8Array(await answer.arrayBuffer()),
      contentType: answer.headers.get('Content-Type') ?? '',
      url: answer.url,
      etag: validator(answer, 'ETag'),
      modified: validator(answer, 'Last-Modified'),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ServiceError ? error : unfetched(reasonOf(error), error);
  }
}

function validator({ headers }: Response, name: string): string | undefined {
  const value = headers.get(name);
  return value !== null && value !== '' && value.length <= MAX_VALIDATOR && /^[\x20-\x7e]+$/.test(value)
    ? value
    : undefined;
}

function unfetched(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_argument', `url could not be fetched: ${reason}`, { cause });
}

/** Never contains the text of a connection error, because that names the address of the host in this network. */
function reasonOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof RefusedRequest) return each.message;
    const known = 'code' in each ? REASONS[String(each.code)] : undefined;
    if (known !== undefined) return known;
  }
  return 'the connection failed';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'its host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'the server could not be reached in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'the server did not answer in time',
  Z_DATA_ERROR: 'the response is not compressed as it says',
  Z_BUF_ERROR: 'the response is not compressed as it says',
  ERR__ERROR_FORMAT_PADDING_1: 'the response is not compressed as it says',
};
