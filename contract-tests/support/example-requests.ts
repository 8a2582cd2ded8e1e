import type { ExampleCall } from './examples.ts';

/** A request as it is sent, without a credential. */
export interface WireRequest {
  readonly operationId: string;
  readonly method: string;
  readonly target: string;
  /** Absent without a body. */
  readonly contentType?: string;
  readonly body?: Uint8Array;
}

/**
 * Replacements for examples that would send requests to other servers, undo what other calls do, or put a condition,
 * which needs read permission (decision D-171).
 */
const INSTEAD: Record<string, object> = {
  listBulkIngest: { collection: undefined },
  listApiKeys: { username: undefined },
  listCurationRules: { id: undefined, collection: undefined },
  searchAcrossCollections: { targetCollections: ['blog'] },
  ingestDocuments: { options: { autoConfigureCollection: true } },
  importUrl: { url: 'http://127.0.0.1:1/' },
  importWiki: { collection: 'blog' },
  restoreBackup: { from: 'there-is-none.db' },
  setCollectionConfig: { storageBackend: 'boltdb', storageConfig: undefined },
};

/** The request of an example. The encoding of forms is left to the platform. */
export async function wireRequest({ operationId, method, path, consumes, options }: ExampleCall): Promise<WireRequest> {
  const instead = INSTEAD[operationId] ?? {};
  const parts = path.split('/').map((
    part,
  ) => (part.startsWith('{') ? encodeURIComponent(String(options.path?.[part.slice(1, -1)])) : part));
  const query = new URLSearchParams(
    Object.entries({ ...options.query, ...(options.query && instead) }).flatMap(([name, value]) =>
      queryPairs(name, value)
    ),
  );
  const request = {
    operationId,
    method: method.toUpperCase(),
    target: `${parts.join('/')}${query.size > 0 ? `?${query.toString()}` : ''}`,
  };
  if (typeof options.body === 'string')
    return { ...request, contentType: consumes[0]!, body: Buffer.from(options.body) };
  if (!consumes.includes('application/json') && consumes.length > 0)
    return { ...request, ...await formOf({ ...(options.body as object), ...instead }) };
  return options.body === undefined ? request : {
    ...request,
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify({ ...options.body, ...instead })),
  };
}

function queryPairs(name: string, value: unknown): [string, string][] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, String(value)]];
  return Object.entries(value).map(([key, each]) => [`${name}[${key}]`, String(each)]);
}

async function formOf(fields: object): Promise<Required<Pick<WireRequest, 'contentType' | 'body'>>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value instanceof Blob ? value : String(value));
  const encoded = new Response(form);
  return { contentType: encoded.headers.get('Content-Type')!, body: new Uint8Array(await encoded.arrayBuffer()) };
}
