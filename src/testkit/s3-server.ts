import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package has no types. */
type S3rver = new(options: object) => { callback(): RequestListener; configureBuckets(): Promise<unknown> };

/**
 * The faults of the service: it drops connections, returns 500, or 403 for the key or the signature (which it never
 * checks itself), truncates a response, does not respond, or returns other bytes.
 */
export type Fault = 'gone' | 'error' | 'denied' | 'unsigned' | 'cut' | 'silent' | 'damaged';

export const BUCKET = 'bodies';
/** Valid access key and secret. */
export const CREDENTIAL = 'S3RVER';

/** An S3-compatible service on a free port of this machine, with one bucket, and with faults on demand. */
export class S3Server {
  readonly folder: string;
  readonly #server: Server;
  #fault: { readonly methods: readonly string[]; readonly fault: Fault } | undefined;
  /** Called after an object is stored, before the response. */
  onPut: (() => void) | undefined;
  /** Number of requests so far, by method. */
  readonly requests: Record<string, number> = {};

  private constructor(folder: string, handle: RequestListener) {
    this.folder = folder;
    this.#server = createServer((request, response) => this.#serve(request, response, handle));
  }

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-s3-'));
    const Constructor = createRequire(import.meta.url)('s3rver') as S3rver;
    const service = new Constructor({
      directory: folder,
      silent: true,
      vhostBuckets: false,
      configureBuckets: [{ name: BUCKET }],
    });
    await service.configureBuckets();
    const server = new S3Server(folder, service.callback());
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Host and port. */
  get endpoint(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The configuration with which a collection stores its bodies here. */
  get config() {
    return { endpoint: this.endpoint, bucket: BUCKET, accessKey: CREDENTIAL, secretKey: CREDENTIAL };
  }

  /** Makes requests with some methods (all by default) fail from now on; without a fault, none fail. */
  fail(fault?: Fault, ...methods: readonly string[]): void {
    this.#fault = fault && { fault, methods };
  }

  /** The contents of all objects, by path in the bucket. */
  async objects(): Promise<Map<string, Buffer>> {
    const root = join(this.folder, BUCKET);
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile() && entry.name.endsWith('._S3rver_object')
    );
    return new Map(await Promise.all(files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(root.length + 1).replace(/\._S3rver_object$/, ''), await readFile(path)] as const;
    })));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    await rm(this.folder, { recursive: true, force: true });
  }

  #serve(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    const method = request.method!;
    this.requests[method] = (this.requests[method] ?? 0) + 1;
    const { methods, fault } = this.#fault ?? {};
    if (fault !== undefined && (methods!.length === 0 || methods!.includes(method)))
      return misbehave(fault, request, response);
    if (method === 'PUT') this.#notifyPut(response);
    handle(request, response);
  }

  #notifyPut(response: ServerResponse): void {
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
    response.end = ((...args: unknown[]) => {
      this.onPut?.();
      return end(...args);
    }) as typeof response.end;
  }
}

function misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  switch (fault) {
    case 'gone':
      request.socket.destroy();
      return;
    case 'error':
      response.writeHead(500).end('<oops');
      return;
    case 'denied':
    case 'unsigned':
      response.writeHead(403, { 'Content-Type': 'application/xml' }).end(
        `<?xml version="1.0"?><Error><Code>${
          fault === 'denied' ? 'InvalidAccessKeyId' : 'SignatureDoesNotMatch'
        }</Code><Message>SECRET</Message></Error>`,
      );
      return;
    case 'cut':
      response.writeHead(200, { 'Content-Length': 10_000 });
      response.write('QRBODY01', () => request.socket.destroy());
      return;
    case 'damaged':
      response.writeHead(200).end('QRBODY01 and then something else altogether');
      return;
    case 'silent':
      // Ended together with the connections.
  }
}
