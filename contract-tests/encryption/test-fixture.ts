import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningDocumentService, startDocumentService } from '../../src/app/docs-service.ts';
import { type Environment, loadSettings } from '../../src/app/settings/index.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';

export const KEYS = [0x11, 0x22, 0x33].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string,
  string];

const LISTENERS = { SVC_HTTP_ADDR: '127.0.0.1:0', SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' };

/** For tests: the document service over one folder, which can be stopped and started with other settings. */
export class Restarted {
  readonly folder: string;
  readonly database: string;
  #env: Environment;
  #service: RunningDocumentService | undefined;

  private constructor(folder: string, env: Environment) {
    this.folder = folder;
    this.database = join(folder, 'quire.db');
    this.#env = env;
  }

  static async start(env: Environment = {}): Promise<Restarted> {
    const started = new Restarted(await mkdtemp(join(tmpdir(), 'quire-encryption-')), env);
    await started.start();
    return started;
  }

  get url(): string {
    return this.#service!.url;
  }

  async start(log: Log = silentLog): Promise<void> {
    const { settings } = loadSettings({ env: { ...LISTENERS, SVC_PATH: this.database, ...this.#env } });
    this.#service = await startDocumentService({ settings, log, validateResponses: true });
  }

  async restart(env: Environment): Promise<void> {
    await this.stop();
    this.#env = env;
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The status and body of a response. */
  async request(method: string, path: string,
    body?: object): Promise<{ status: number; body: Record<string, unknown> }>
  {
    const response = await fetch(this.url + path, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() as Record<string, unknown> };
  }

  /** The body of a response that must be a success. */
  async ok<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T> {
    const answer = await this.request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  add(collection: string, key: string, contentMd: string, meta: Record<string, string[]> = {}): Promise<unknown> {
    return this.ok('POST', '/v1/add', { collection, key, lang: 'en', contentMd, meta });
  }

  configure(collection: string, config: object): Promise<unknown> {
    return this.ok('PUT', '/v1/collection-config', { collection, ...config });
  }

  /** The counts of a collection, once a condition holds for them. */
  async statusWhen(collection: string, holds: (status: CollectionStatus) => boolean): Promise<CollectionStatus> {
    for (;;) {
      const { collections } = await this.ok<{ collections: CollectionStatus[] }>('GET', '/v1/encryption/status');
      const found = collections.find((each) => each.collection === collection);
      if (found !== undefined && holds(found)) return found;
    }
  }

  /** Names of the files below the folder that contain one of some words, in any form in which text is stored. */
  async filesWith(...words: string[]): Promise<string[]> {
    const names = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const found: string[] = [];
    for (const entry of names.filter((each) => each.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      // A checkpoint was renamed in the meantime.
      if (bytes === undefined) return this.filesWith(...words);
      if (words.some((word) => bytes.includes(word) || bytes.includes(Buffer.from(word, 'utf16le'))))
        found.push(entry.name);
    }
    return found.sort();
  }
}

export interface CollectionStatus {
  readonly collection: string;
  readonly encrypted: boolean;
  readonly total: number;
  readonly withPrimary: number;
  readonly withLegacy: number;
  readonly plaintext: number;
  readonly unknownKey: number;
}
