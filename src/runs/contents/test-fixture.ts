import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sql } from '../../storage/index.ts';
import { FolderContents } from './content-store.ts';

type Step = 'after keep' | 'before remove';

/** Contents in a folder, of a server that a test interrupts between two steps. */
export class InterruptedContents extends FolderContents {
  readonly #sql: Sql;
  #next: { readonly step: Step; readonly go: () => Promise<void> } | undefined;
  /** What was begun at the last interruption. */
  begun: Promise<unknown> | undefined;

  constructor(folder: string, sql: Sql) {
    super(folder, 'interrupted');
    this.#sql = sql;
  }

  /** At the next such step, begins work of another server and lets it go as far as it can. */
  interrupt(step: Step, begin: () => Promise<unknown>): void {
    // The other server is not inside the transaction in which this one is interrupted.
    const outside = AsyncLocalStorage.snapshot();
    const go = async (): Promise<void> => {
      this.begun = begin();
      await untilHeldUp(this.#sql, this.begun);
    };
    this.#next = { step, go: () => outside(go) };
  }

  override async keep(path: string, sha256: string): Promise<void> {
    await super.keep(path, sha256);
    await this.#reach('after keep');
  }

  override async remove(sha256: string): Promise<void> {
    await this.#reach('before remove');
    await super.remove(sha256);
  }

  async #reach(step: Step): Promise<void> {
    if (this.#next?.step !== step) return;
    const { go } = this.#next;
    this.#next = undefined;
    await go();
  }
}

/**
 * Resolves when work is done or waits for a lock. Over SQLite it waits for its turn, behind the work that is
 * interrupted.
 */
async function untilHeldUp(sql: Sql, work: Promise<unknown>): Promise<void> {
  if (sql.peers === undefined) return;
  let isDone = false;
  const done = (): void => void (isDone = true);
  work.then(done, done);
  while (!isDone && !await waitsForLock(sql));
}

async function waitsForLock(sql: Sql): Promise<boolean> {
  return (await sql.get<{ n: number }>(
    "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
  ))!.n > 0;
}
