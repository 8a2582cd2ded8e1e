import type { Queries, Row, Transaction } from '../../../storage/index.ts';

/** What was handled last of a branch, a tag or a pull request of a project. */
export interface HandledRef {
  readonly projectId: string;
  readonly ref: string;
  readonly commit: string;
  /** The commit before it; empty for none. */
  readonly before: string;
}

interface RefRow extends Row {
  readonly project_id: string;
  readonly ref: string;
  readonly commit_id: string;
  readonly before_id: string;
}

const toRef = (row: RefRow): HandledRef => ({
  projectId: row.project_id,
  ref: row.ref,
  commit: row.commit_id,
  before: row.before_id,
});

export async function handledRef(from: Queries, projectId: string, ref: string): Promise<HandledRef | undefined> {
  const row = await from.get<RefRow>('SELECT * FROM forge_refs WHERE project_id = ? AND ref = ?', [projectId, ref]);
  return row && toRef(row);
}

export async function handledRefs(from: Queries, projectId: string): Promise<ReadonlyMap<string, HandledRef>> {
  const rows = await from.all<RefRow>('SELECT * FROM forge_refs WHERE project_id = ?', [projectId]);
  return new Map(rows.map((row) => [row.ref, toRef(row)]));
}

export async function storeRefs(tx: Transaction, refs: readonly HandledRef[]): Promise<void> {
  await tx.runMany(
    'INSERT INTO forge_refs(project_id, ref, commit_id, before_id) VALUES (?, ?, ?, ?) ON CONFLICT(project_id, ref) ' +
      'DO UPDATE SET commit_id = excluded.commit_id, before_id = excluded.before_id',
    refs.map(({ projectId, ref, commit, before }) => [projectId, ref, commit, before]),
  );
}

export async function removeRefs(tx: Transaction, projectId: string, refs: readonly string[]): Promise<void> {
  await tx.runMany('DELETE FROM forge_refs WHERE project_id = ? AND ref = ?', refs.map((ref) => [projectId, ref]));
}
