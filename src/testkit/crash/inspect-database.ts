import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Statements that return a row for each fault of a document database, and none if it is sound. */
const FAULTS: Record<string, string> = {
  'the file is damaged': `SELECT integrity_check AS fault FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
  'a foreign key leads nowhere': 'SELECT * FROM pragma_foreign_key_check',
  'the change feed has a gap': 'SELECT lsn FROM changes WHERE lsn > 1 AND lsn - 1 NOT IN (SELECT lsn FROM changes)',
  'the change feed does not start at 1': 'SELECT min(lsn) AS lsn FROM changes HAVING min(lsn) <> 1',
  'a collection counts wrong':
    'SELECT name, docs FROM collections c WHERE docs <> (SELECT count(*) FROM documents WHERE cid = c.id)',
  'a document has no spelling': 'SELECT id FROM documents WHERE ord NOT IN (SELECT ord FROM spellings)',
  'a spelling has no document': 'SELECT key FROM spellings WHERE ord NOT IN (SELECT ord FROM documents)',
  'a revision has no document': 'SELECT ord FROM revisions WHERE ord NOT IN (SELECT ord FROM documents)',
  'an older revision has no body': `
    SELECT ord, ts FROM revisions r WHERE (body IS NULL OR meta IS NULL)
      AND ts < (SELECT max(ts) FROM revisions WHERE ord = r.ord)`,
  'a deleted document has no version': `
    SELECT id FROM deleted_documents n WHERE NOT EXISTS (SELECT 1 FROM deleted_revisions r WHERE r.ord = n.ord AND r.ts = n.rev_ts)`,
  'a document is both there and deleted': 'SELECT id FROM deleted_documents WHERE id IN (SELECT id FROM documents)',
  'a document is not as its last change says': `
    SELECT doc_id, kind FROM (SELECT doc_id, kind, max(lsn) FROM changes WHERE kind IN ('doc.put', 'doc.delete') GROUP BY doc_id)
      WHERE (kind = 'doc.put') <> (doc_id IN (SELECT id FROM documents))`,
};

export interface Inspection {
  /** One line for each fault; empty if there is none. */
  readonly faults: string[];
  /** LSN of the newest change. */
  readonly head: number;
}

/** Inspects a database that a server may have open; it only reads. */
export function inspectOpenDatabase(file: string): Inspection {
  return inspect(new DatabaseSync(file, { readOnly: true }));
}

/**
 * Inspects a copy of what a killed server left behind, so that the recovery that opening implies is left to the server.
 * A database that was never created is sound.
 */
export async function inspectRemains(file: string): Promise<Inspection> {
  if (!existsSync(file)) return { faults: [], head: 0 };
  const folder = await mkdtemp(join(tmpdir(), 'quire-remains-'));
  try {
    const copy = join(folder, 'copy.db');
    await copyFile(file, copy);
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
    return inspect(new DatabaseSync(copy));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function inspect(database: DatabaseSync): Inspection {
  try {
    // The newest table: nothing is written before it exists.
    const hasTables =
      database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'deleted_revisions'`).get() !== undefined;
    if (!hasTables) return { faults: [], head: 0 };
    const faults = Object.entries(FAULTS).flatMap(([fault, sql]) =>
      database.prepare(sql).all().slice(0, 3).map((row) => `${fault}: ${JSON.stringify(row)}`)
    );
    const { head } = database.prepare('SELECT coalesce(max(lsn), 0) AS head FROM changes').get() as { head: number };
    return { faults, head };
  } finally {
    database.close();
  }
}
