import { Agent, request } from 'node:http';

/** A client of a document service with one connection for each concurrent request. */
export interface Client {
  /** Throws for a response other than 2xx. */
  post<T>(path: string, body: object): Promise<T>;
  /** Only the status; 0 if nothing responds. */
  status(path: string, body: object): Promise<number>;
  close(): void;
}

export function clientOf(url: string): Client {
  const agent = new Agent({ keepAlive: true });
  const send = (path: string, body: object) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const outgoing = request(`${url}${path}`, {
        method: 'POST',
        agent,
        headers: { 'Content-Type': 'application/json' },
      }, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      });
      outgoing.on('error', reject).end(JSON.stringify(body));
    });
  return {
    post: async <T>(path: string, body: object) => {
      const { status, text } = await send(path, body);
      if (status < 200 || status > 299) throw new Error(`${path} answered ${status}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as T;
    },
    status: (path, body) => send(path, body).then(({ status }) => status, () => 0),
    close: () => agent.destroy(),
  };
}

/** The part of a response of `/v1/fts` that the benchmarks read. */
export interface Found {
  readonly totalMatches: number;
  readonly results: readonly { readonly document: { readonly key: string } }[];
}
