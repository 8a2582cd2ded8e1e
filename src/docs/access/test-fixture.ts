import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { silentLog } from '../../lib/log.ts';
import { type Caller, createInvoker, type Invoke, type OutputOf } from '../../operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import type { DocsEnvironment, DocsSettings } from '../environment.ts';
import { DOCS_INPUTS } from '../test-fixture.ts';
import { type Access, createAccess } from './index.ts';

/** Unix seconds at which every test begins. */
export const START = 1_766_400_000;

const SECRET = 'a secret that only these tests know';

type Auth = Partial<NonNullable<DocsSettings['auth']>>;
type Credential = NonNullable<Caller['credential']>;

export const token = (value: string): Credential => ({ scheme: 'bearer', value });
export const key = (value: string): Credential => ({ scheme: 'api-key', value });

export interface AccessFixtureOptions {
  readonly driver?: 'node:sqlite' | 'sql.js';
  readonly auth?: Auth;
  readonly mode?: DocsSettings['mode'];
  readonly mcp?: boolean;
}

/** For tests: the area over a real database, called through the pipeline, with a clock that the test advances. */
export class AccessFixture {
  readonly sql: Sql;
  readonly feed: ChangeFeed;
  readonly logged: { level: string; message: string }[] = [];
  access: Access;
  readonly #folder: string | undefined;
  readonly #options: AccessFixtureOptions;
  #milliseconds = START * 1000;
  #invoke: Invoke<Operations>;
  #admin: Credential | undefined;

  private constructor(sql: Sql, folder: string | undefined, options: AccessFixtureOptions) {
    this.sql = sql;
    this.#folder = folder;
    this.#options = options;
    this.feed = new ChangeFeed(sql, this.clock);
    this.access = this.#create({});
    this.#invoke = this.#invokerOf(this.access);
  }

  readonly clock = { now: (): number => this.#milliseconds };

  static async open(options: AccessFixtureOptions = {}): Promise<AccessFixture> {
    const folder = options.driver === 'node:sqlite' ? await mkdtemp(join(tmpdir(), 'quire-access-')) : undefined;
    const sql = await openMigrated({ path: folder === undefined ? ':memory:' : join(folder, 'test.db') },
      DOCUMENT_MIGRATIONS);
    const fixture = new AccessFixture(sql, folder, options);
    await fixture.access.load();
    return fixture;
  }

  /** Creates the area again, as after a restart with other settings. */
  async restart(auth: Auth = {}): Promise<void> {
    await this.access.stop();
    this.access = this.#create(auth);
    this.#invoke = this.#invokerOf(this.access);
    this.#admin = undefined;
    await this.access.load();
  }

  advance(seconds: number): void {
    this.#milliseconds += seconds * 1000;
  }

  /** Runs an operation with a credential. */
  async call<K extends keyof Operations & string>(id: K, input: object = {}, credential?: Credential,
    more: Partial<Caller> = {}): Promise<OutputOf<Operations, K>>
  {
    return (await this.#invoke(id, structuredClone(input), {
      protocol: 'http',
      requestId: 'test',
      ...(credential && { credential }),
      ...more,
    })).value;
  }

  /** As the administrator. */
  async manage<K extends keyof Operations & string>(id: K, input: object = {}): Promise<OutputOf<Operations, K>> {
    this.#admin ??= await this.login('admin', 'first password');
    return this.call(id, input, this.#admin);
  }

  async login(username: string, password = 'secret'): Promise<Credential> {
    return token((await this.call('login', { username, password })).token);
  }

  /** Creates a user and signs in. */
  async register(username: string, more: object = {}): Promise<Credential> {
    await this.manage('registerUser', { username, password: 'secret', ...more });
    return this.login(username);
  }

  async keyOf(credential: Credential, more: object = {}): Promise<{ credential: Credential; keyHash: string }> {
    const { key: value, keyHash } = await this.call('createApiKey', more, credential);
    return { credential: key(value), keyHash };
  }

  async close(): Promise<void> {
    await this.access.stop();
    await this.sql.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true });
  }

  #create(auth: Auth): Access {
    const note = (level: string) => (_fields: object, message: string) => void this.logged.push({ level, message });
    const settings = {
      mode: this.#options.mode ?? 'wr',
      auth: {
        enabled: true,
        jwtSecret: SECRET,
        jwtExpiryMs: 86_400_000,
        adminUsername: 'admin',
        adminPassword: 'first password',
        adminReset: false,
        passwordCost: 4,
        ...this.#options.auth,
        ...auth,
      },
      description: { protocols: { mcp: { enabled: this.#options.mcp ?? true } } },
    } as DocsSettings;
    const log = { ...silentLog, info: note('info'), warn: note('warn') };
    return createAccess({
      sql: this.sql,
      feed: this.feed,
      codec: new BodyCodec(),
      clock: this.clock,
      log,
      settings,
    } satisfies DocsEnvironment);
  }

  #invokerOf({ handlers, guard, accessWatches: watches }: Access): Invoke<Operations> {
    return createInvoker<Operations>({
      operations,
      inputs: DOCS_INPUTS,
      handlers,
      guard,
      watches,
      clock: this.clock,
      mode: () => 'wr',
    });
  }
}
