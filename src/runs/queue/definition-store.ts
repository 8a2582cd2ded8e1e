import { createHash } from 'node:crypto';
import { Lru } from '../../lib/caches.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { Definition } from '../definitions/index.ts';

/** Most parsed definitions in the cache. */
const KEPT = 256;

/** Most runs whose definition number is cached. */
const KEPT_RUNS = 4096;

/** Definitions by the hash of their text, so that a thousand runs of one pipeline share one row. */
export class DefinitionStore {
  readonly #parsed = new Lru<number, Definition>(KEPT);
  /** The definition of a run never changes, so entries never become stale. */
  readonly #numberOfRun = new Lru<number, number>(KEPT_RUNS);

  /** Returns its number. */
  async save(tx: Transaction, definition: Definition): Promise<number> {
    const body = JSON.stringify(definition);
    const hash = createHash('sha256').update(body).digest('hex');
    // Locked against `prune`, which must not remove it before the run that uses it is stored.
    const find = () => tx.get<{ id: number }>('SELECT id FROM definitions WHERE hash = ? FOR KEY SHARE', [hash]);
    const known = await find();
    if (known !== undefined) return known.id;
    await tx.run('INSERT INTO definitions(hash, body) VALUES (?, ?) ON CONFLICT(hash) DO NOTHING', [hash, body]);
    return (await find())!.id;
  }

  async load(from: Queries, id: number): Promise<Definition> {
    const known = this.#parsed.get(id);
    if (known !== undefined) return known;
    const row = await from.get<{ body: string }>('SELECT body FROM definitions WHERE id = ?', [id]);
    if (row === undefined) throw new Error(`definition ${id} of a run is missing`);
    const definition = JSON.parse(row.body) as Definition;
    this.#parsed.set(id, definition);
    return definition;
  }

  /** The definition of a claimed run; it is cached, because the end of the run needs it again. */
  ofClaimed(from: Queries,
    { seq, definition_id: id }: { readonly seq: number; readonly definition_id: number }): Promise<Definition>
  {
    this.#numberOfRun.set(seq, id);
    return this.load(from, id);
  }

  async ofRun(from: Queries, seq: number): Promise<Definition> {
    const known = this.#numberOfRun.get(seq);
    if (known !== undefined) return this.load(from, known);
    const row = await from.get<{ definition_id: number }>('SELECT definition_id FROM run_material WHERE seq = ?', [
      seq,
    ]);
    if (row === undefined) throw new Error(`the material of run number ${seq} is missing`);
    return this.load(from, row.definition_id);
  }

  /**
   * Removes the definitions of this list that no run uses any more. Needs a transaction with the isolation level `read
   * committed`, because others may run at the same time.
   */
  async prune(tx: Transaction, ids: Iterable<number>): Promise<void> {
    const rows = [...new Set(ids)].sort((a, b) => a - b).map((id) => [id, id]);
    // Runs that are about to use one are stored first; the next statement sees them.
    for (const [id] of rows) await tx.get('SELECT id FROM definitions WHERE id = ? FOR UPDATE', [id!]);
    await tx.runMany(
      'DELETE FROM definitions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM run_material WHERE definition_id = ?)',
      rows,
    );
  }
}
