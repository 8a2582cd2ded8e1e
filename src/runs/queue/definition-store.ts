import { createHash } from 'node:crypto';
import { Lru } from '../../lib/lru.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { Definition } from '../definitions/definition.ts';

/** Parsed definitions that are kept at hand. */
const KEPT = 256;

/** Runs whose definition is known by number. */
const KEPT_RUNS = 4096;

/** Definitions by the hash of their text, so that the thousand runs of one pipeline share one. */
export class DefinitionStore {
  readonly #parsed = new Lru<number, Definition>(KEPT);
  /** A run keeps its definition, so this never changes. */
  readonly #numberOfRun = new Lru<number, number>(KEPT_RUNS);

  /** Answers its number. */
  async save(tx: Transaction, definition: Definition): Promise<number> {
    const body = JSON.stringify(definition);
    const hash = createHash('sha256').update(body).digest('hex');
    // Locked against `prune`, which must not remove it before the run is stored that has it.
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

  /** The definition of a run that is claimed: its end will ask for it again. */
  ofClaimed(from: Queries, { seq, definition_id: id }: { readonly seq: number; readonly definition_id: number }): Promise<Definition> {
    this.#numberOfRun.set(seq, id);
    return this.load(from, id);
  }

  async ofRun(from: Queries, seq: number): Promise<Definition> {
    const known = this.#numberOfRun.get(seq);
    if (known !== undefined) return this.load(from, known);
    const row = await from.get<{ definition_id: number }>('SELECT definition_id FROM run_material WHERE seq = ?', [seq]);
    if (row === undefined) throw new Error(`the material of run number ${seq} is missing`);
    return this.load(from, row.definition_id);
  }

  /** Removes those of the given definitions that no run has any more. Takes a transaction with the isolation `read committed`, since others may run beside it. */
  async prune(tx: Transaction, ids: Iterable<number>): Promise<void> {
    const rows = [...new Set(ids)].sort((a, b) => a - b).map((id) => [id, id]);
    // Runs that are about to have one are stored first; the next statement sees them.
    for (const [id] of rows) await tx.get('SELECT id FROM definitions WHERE id = ? FOR UPDATE', [id!]);
    await tx.runMany('DELETE FROM definitions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM run_material WHERE definition_id = ?)', rows);
  }
}
