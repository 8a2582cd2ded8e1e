import type { Environment } from '../../src/app/settings/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../../src/testkit/http-client.ts';

export const SECRET = 'a secret that only these tests know';
export const ADMIN = { username: 'admin', password: 'correct horse battery staple' };

/** The password of every user that a test registers. */
export const PASSWORD = 'tr0ub4dor&3';

/** The smallest number of rounds of bcrypt. */
const CHEAP = 4;

/** Headers that contain a credential. */
export type Credential = Readonly<Record<string, string>>;

export const bearer = (token: string): Credential => ({ Authorization: `Bearer ${token}` });
export const apiKey = (key: string): Credential => ({ 'X-API-Key': key });

/** A token with the same claims whose signature begins with another character. */
export function withOtherSignature(token: string): string {
  const start = token.lastIndexOf('.') + 1;
  return `${token.slice(0, start)}${token[start] === 'A' ? 'B' : 'A'}${token.slice(start + 1)}`;
}

/** The document service with authentication and very cheap password hashing. */
export function startWithAuth(env: Environment = {}, clock?: Clock): Promise<DocsServer> {
  const auth = { SVC_AUTH_ENABLED: 'true', SVC_AUTH_JWT_SECRET: SECRET, SVC_AUTH_ADMIN_PASSWORD: ADMIN.password };
  return startDocsServer({ passwordCost: CHEAP, env: { ...auth, ...env }, ...(clock && { clock }) });
}

/** Enables the features that the scenarios of audit and encryption need. */
export const AT_REST: Environment = {
  SVC_AUDIT_ENABLED: 'true',
  SVC_AUDIT_EXPORT_SYSLOG_ADDR: '127.0.0.1:9',
  SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SVC_TEMPORAL: 'true',
};

/** Signs in. */
export async function tokenOf(url: string,
  credentials: { readonly username: string; readonly password: string }): Promise<string>
{
  const client = new HttpClient(url);
  try {
    const answer = await client.post('/v1/auth/login', credentials);
    if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.text}`);
    return answer.json<{ token: string }>().token;
  } finally {
    client.close();
  }
}

/** A document service with authentication, with a clock that the test sets. */
export class AccessServer {
  readonly server: DocsServer;
  readonly client: HttpClient;
  readonly #time: { now: number };
  /** The token of the bootstrap administrator. */
  admin: Credential = {};

  private constructor(server: DocsServer, time: { now: number }) {
    this.server = server;
    this.client = new HttpClient(server.url);
    this.#time = time;
  }

  static async start(env: Environment = {}, now = 1_766_400_000_000): Promise<AccessServer> {
    const time = { now };
    const clock: Clock = { now: () => time.now };
    const started = new AccessServer(await startWithAuth(env, clock), time);
    started.admin = bearer(await started.login(ADMIN.username, ADMIN.password));
    return started;
  }

  advance(seconds: number): void {
    this.#time.now += seconds * 1000;
  }

  /** Unix seconds. */
  get now(): number {
    return Math.floor(this.#time.now / 1000);
  }

  send(method: string, path: string, credential: Credential = {}, body?: unknown): Promise<Answer> {
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return this.client.send(method, path, {
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...credential },
      ...text,
    });
  }

  /** Sends as the administrator; throws for any response that is not a success. */
  async manage<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, this.admin, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json<T>();
  }

  login(username: string, password = PASSWORD): Promise<string> {
    return tokenOf(this.server.url, { username, password });
  }

  /** Creates a user, and returns a token of it. */
  async register(username: string, more: object = {}): Promise<string> {
    await this.manage('POST', '/v1/auth/register', { username, password: PASSWORD, ...more });
    return this.login(username);
  }

  async keyOf(token: string, more: object = {}): Promise<string> {
    const answer = await this.send('POST', '/v1/auth/api-key', bearer(token), more);
    if (answer.status !== 200) throw new Error(`api-key: ${answer.status} ${answer.text}`);
    return answer.json<{ key: string }>().key;
  }

  async grant(username: string, collection: string, ...permissions: ('read' | 'write' | 'admin')[]): Promise<void> {
    await this.manage('POST', '/v1/auth/permissions', { username, collection, ...allowing(permissions) });
  }

  async grantGroup(group: string, collection: string, ...permissions: ('read' | 'write' | 'admin')[]): Promise<void> {
    await this.manage('POST', '/v1/auth/group-permissions', { group, collection, ...allowing(permissions) });
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.server.stop();
  }
}

function allowing(permissions: readonly string[]): Record<string, boolean> {
  return Object.fromEntries(permissions.map((permission) => [permission, true]));
}
