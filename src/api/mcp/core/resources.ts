import { ServiceError } from '../../../errors/index.ts';
import { type CallContext, callerOf } from './call-context.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, McpFault, RESOURCE_NOT_FOUND } from './fault.ts';
import { type AnyInvoke, MAX_RESULT_BYTES } from './tool.ts';

const JSON_TYPE = 'application/json';

/** The resources that always exist. */
export const RESOURCES = [{
  uri: 'svc://health',
  name: 'health',
  title: 'Health',
  description: 'Whether the service is healthy, and where its database lives.',
  mimeType: JSON_TYPE,
}, {
  uri: 'svc://stats',
  name: 'stats',
  title: 'Statistics',
  description: 'The collections, with the number of documents in each.',
  mimeType: JSON_TYPE,
}] as const;

export const RESOURCE_TEMPLATES = [{
  uriTemplate: 'svc://{collection}/{key}',
  name: 'document',
  title: 'Document',
  description:
    'A document: its body as markdown and the rest of it as JSON. In another language than the default one with ' +
    '`?lang=` behind the key.',
  mimeType: 'text/markdown',
}, {
  uriTemplate: 'svc-search://{collection}?q={q}',
  name: 'search',
  title: 'Search',
  description: 'The documents of a collection that match words best.',
  mimeType: JSON_TYPE,
}] as const;

interface Content {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export interface ResourceOptions {
  readonly invoke: AnyInvoke;
  /** Language of a document whose URI contains none. */
  readonly defaultLang: string;
}

/** Reads the resource of a URI. Throws `McpFault` if there is none. */
export async function readResource(options: ResourceOptions, uri: string,
  context: CallContext): Promise<{ contents: Content[] }>
{
  const target = parseResourceUri(uri);
  if (target === undefined) throw notFound(uri);
  try {
    const contents = await READERS[target.kind](options, target, context);
    return { contents: contents.map((content) => ({ uri, ...content })) };
  } catch (error) {
    throw error instanceof ServiceError ? toFault(error, uri) : error;
  }
}

/** The parts of a resource's URI. */
export interface Target {
  readonly kind: 'health' | 'stats' | 'document' | 'search';
  readonly collection: string;
  readonly key: string;
  /** Parameters after the `?`. */
  readonly query: URLSearchParams;
}

/**
 * Parses a URI without `URL`, which would lowercase collections and resolve dots in keys. Returns undefined if no
 * resource and no template matches.
 */
export function parseResourceUri(uri: string): Target | undefined {
  const match = /^(svc|svc-search):\/\/([^/?#]+)(?:\/([^?#]+))?(?:\?([^#]*))?$/.exec(uri);
  if (match === null) return undefined;
  const [, scheme, host, path, text = ''] = match;
  const [collection, key] = [decoded(host!), decoded(path ?? '')];
  if (collection === undefined || key === undefined) return undefined;
  const query = new URLSearchParams(text);
  if (scheme === 'svc-search') return path === undefined ? { kind: 'search', collection, key, query } : undefined;
  if (path !== undefined) return { kind: 'document', collection, key, query };
  return collection === 'health' || collection === 'stats' ? { kind: collection, collection, key, query } : undefined;
}

type Reader = (options: ResourceOptions, target: Target, context: CallContext) => Promise<Omit<Content, 'uri'>[]>;

const READERS: Readonly<Record<Target['kind'], Reader>> = {
  health: async ({ invoke }, _target, context) => [asJson((await invoke('getHealth', {}, callerOf(context))).value)],
  stats: async ({ invoke }, _target, context) => [asJson((await invoke('getStats', {}, callerOf(context))).value)],
  async document({ invoke, defaultLang }, { collection, key, query }, context) {
    const lang = query.get('lang') || defaultLang;
    const { value } = await invoke('getDocument', { collection, key, lang }, callerOf(context));
    const { contentMd, ...rest } = value as { contentMd: string };
    return [{ mimeType: 'text/markdown', text: checked(contentMd) }, asJson(rest)];
  },
  async search({ invoke }, { collection, query }, context) {
    const { value } = await invoke('searchFullText', { collection, query: query.get('q') ?? '' }, callerOf(context));
    return [asJson(value)];
  },
};

const asJson = (value: unknown): Omit<Content, 'uri'> => ({
  mimeType: JSON_TYPE,
  text: checked(JSON.stringify(value)),
});

function checked(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES)
    throw new ServiceError('payload_too_large',
      `the resource has ${bytes} bytes, more than the ${MAX_RESULT_BYTES} that one response may have`);
  return text;
}

function toFault(error: ServiceError, uri: string): McpFault {
  if (error.code === 'not_found') return notFound(uri);
  return new McpFault(error.status === 400 ? INVALID_PARAMS : INTERNAL_ERROR,
    error.status === 500 ? 'internal error' : error.message, { code: error.code, uri });
}

const notFound = (uri: string): McpFault =>
  new McpFault(RESOURCE_NOT_FOUND, `resource not found: ${uri.slice(0, 256)}`, { uri });

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
