import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningDocumentService, startDocumentService } from '../../src/app/docs-service.ts';
import { type Environment, loadSettings } from '../../src/app/settings/index.ts';
import { silentLog } from '../../src/lib/log.ts';

const SETTINGS = { SVC_HTTP_ADDR: '127.0.0.1:0', SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' };

/** The error code of a REST response. */
export interface Refusal {
  readonly error: string;
  readonly code: string;
}

/** For tests: the document service over one folder, with a clock that the test sets. */
export class BodiesFixture {
  readonly folder: string;
  readonly database: string;
  #service: RunningDocumentService | undefined;
  #ahead = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.database = join(folder, 'quire.db');
  }

  static async start(env: Environment = {}): Promise<BodiesFixture> {
    const fixture = new BodiesFixture(await mkdtemp(join(tmpdir(), 'quire-bodies-')));
    await fixture.restart(env);
    return fixture;
  }

  async restart(env: Environment = {}): Promise<void> {
    await this.#service?.stop();
    const { settings } = loadSettings({ env: { ...SETTINGS, SVC_PATH: this.database, ...env } });
    this.#service = await startDocumentService({
      settings,
      log: silentLog,
      clock: { now: () => Date.now() + this.#ahead },
      validateResponses: true,
    });
  }

  /** Seconds. */
  advance(seconds: number): void {
    this.#ahead += seconds * 1000;
  }

  async end(): Promise<void> {
    await this.#service?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  send(method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.#service!.url + path, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
  }

  sendLines(path: string, body: string): Promise<Response> {
    return fetch(this.#service!.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body,
    });
  }

  /** The body of a response that must be a success. */
  async ok<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** The status, the error and the headers of a response that must be an error. */
  async refused(method: string, path: string,
    body?: object): Promise<Refusal & { status: number; retryAfter: string | null }>
  {
    const response = await this.send(method, path, body);
    if (response.ok) throw new Error(`${method} ${path} succeeded: ${await response.text()}`);
    return {
      status: response.status,
      retryAfter: response.headers.get('Retry-After'),
      ...(await response.json() as Refusal),
    };
  }

  configure(collection: string, config: object): Promise<unknown> {
    return this.ok('PUT', '/v1/collection-config', { collection, ...config });
  }

  add(collection: string, key: string, contentMd: string, more: object = {}): Promise<unknown> {
    return this.ok('POST', '/v1/add', { collection, key, lang: 'en', contentMd, ...more });
  }

  async textOf(collection: string, key: string): Promise<string> {
    return (await this.ok<{ contentMd: string }>('POST', '/v1/get', { collection, key, lang: 'en' })).contentMd;
  }
}
