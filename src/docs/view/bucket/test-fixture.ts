import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Timer } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import { FolderStore } from '../../../net/folder-objects.ts';
import type { ObjectStore } from '../../../net/objects.ts';
import { CheckpointFiles } from '../checkpoint-files.ts';
import type { CollectionViewOptions } from '../collection-view.ts';
import { MAGIC, TestKind, Views } from '../test-fixture.ts';
import { type Claims, soleClaims } from './claims.ts';
import { CheckpointCopies, type CopiesOptions } from './copies.ts';

/** Sleeps end at once only when they are aborted: rounds of loops begin when they are woken. */
export const patient: Timer = {
  sleep: (_, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
    }),
};

/** One machine: its files, and what it knows of the copies. */
export interface Machine {
  readonly copies: CheckpointCopies;
  readonly options: CollectionViewOptions;
  readonly folder: string;
}

/** Machines with empty disks over one database and one place for copies, which is a folder by default. */
export class Machines {
  readonly views = new Views('node:sqlite');
  place!: string;
  store!: ObjectStore;
  readonly warnings: string[] = [];
  /** Of the copies, in milliseconds since 1970. */
  now = 1_000_000_000_000;
  readonly #machines: CheckpointCopies[] = [];

  constructor() {
    beforeEach(async () => {
      this.place = await mkdtemp(join(tmpdir(), 'quire-copies-'));
      this.store = new FolderStore(join(this.place, 'shared'));
      this.warnings.length = 0;
      this.now = Date.now();
    });
    afterEach(async () => {
      for (const copies of this.#machines.splice(0)) await copies.stop();
      await rm(this.place, { recursive: true, force: true });
    });
  }

  async machine(
    { claims = soleClaims(), ...options }: Partial<CopiesOptions> & { claims?: Claims } = {},
  ): Promise<Machine> {
    const copies = new CheckpointCopies({
      store: this.store,
      claims,
      sql: this.views.fixture.sql,
      clock: { now: () => this.now },
      timer: patient,
      log: {
        ...silentLog,
        warn: (fields, message) => void this.warnings.push(`${message} ${String((fields as { err?: unknown }).err)}`),
      },
      isWriter: true,
      ...options,
    });
    this.#machines.push(copies);
    const folder = await mkdtemp(join(this.place, 'disk-'));
    const { identity } = this.views.fixture.sql.info;
    const files = new CheckpointFiles(folder, MAGIC, identity === undefined ? {} : { database: identity });
    await copies.start();
    return { copies, folder, options: { checkpoints: files, copies: copies.view('test', files) } };
  }

  /** Starts a view on a machine, and waits until it serves. */
  async start({ options }: Machine, more: CollectionViewOptions = {}) {
    return this.views.started(new TestKind(this.views.fixture), { ...options, ...more });
  }

  /** Paths of the objects that are in the place; `under` is `manifests` or `segments`. */
  async objects(under: string): Promise<string[]> {
    const root = join(this.place, 'shared', under);
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
  }

  /** Changes the bytes of each object below a folder; removes those for which `change` returns nothing. */
  async damage(under: string, change: (bytes: Buffer) => Buffer | undefined): Promise<void> {
    for (const path of await this.objects(under)) {
      const bytes = change(await readFile(path));
      if (bytes === undefined) await rm(path);
      else await writeFile(path, bytes);
    }
  }
}
