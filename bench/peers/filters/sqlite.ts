import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { linesOf } from '../../support/corpus.ts';
import type { FilterEngine } from './engine.ts';
import type { Ask, FilterJob } from './job.ts';

const PRAGMAS =
  'PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-2000000; ' +
  'PRAGMA mmap_size=8000000000';
const NUMBERS = 'price';

/** FTS5 and a table of (key, value, document) with an index, the layout of metadata in the service's own database. */
export async function makeSqlite({ texts, meta, folder }: FilterJob): Promise<FilterEngine> {
  const db = new DatabaseSync(join(folder, 'sqlite.db'));
  db.exec(`${PRAGMAS};
    CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61');
    CREATE TABLE documents (id INTEGER PRIMARY KEY, key TEXT NOT NULL);
    CREATE TABLE meta (key TEXT NOT NULL, value NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (key, value, document)) WITHOUT ROWID;
    BEGIN`);
  const insert = {
    text: db.prepare('INSERT INTO texts(rowid, text) VALUES (?, ?)'),
    document: db.prepare('INSERT INTO documents VALUES (?, ?)'),
    meta: db.prepare('INSERT INTO meta VALUES (?, ?, ?)'),
  };
  const [header, ...rows] = readFileSync(meta, 'utf8').trimEnd().split('\n');
  const names = header!.split('\t');
  let documents = 0;
  for await (const text of linesOf(texts)) {
    insert.text.run(documents, text);
    insert.document.run(documents, `page-${documents}`);
    for (const [i, value] of rows[documents]!.split('\t').entries())
      insert.meta.run(names[i]!, names[i] === NUMBERS ? Number(value) : value, documents);
    documents += 1;
  }
  // Counts and sorts look values up by document.
  db.exec(
    'CREATE INDEX meta_by_document ON meta (document, key, value); COMMIT; INSERT INTO texts(texts) VALUES ' +
      "('optimize'); ANALYZE",
  );
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const all = (sql: string, ...values: readonly (string | number)[]) => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, statement = db.prepare(sql));
    return statement.all(...values) as Record<string, number>[];
  };
  return {
    documents,
    search: (ask) => {
      const { from, where, values } = conditionsOf(ask);
      const order = ask.sort === undefined ? (ask.words === undefined ? 'd.id' : 'bm25(texts)') : 'sorted.value DESC';
      const sorted = ask.sort === undefined
        ? ''
        : ` JOIN meta sorted ON sorted.document = d.id AND sorted.key = '${ask.sort}'`;
      const counted = ask.facet ?? ask.histogram;
      if (ask.words !== undefined || counted === undefined)
        all(`SELECT d.key ${from}${sorted} ${where} ORDER BY ${order} LIMIT 10 OFFSET ?`, ...values, ask.offset ?? 0);
      const total = all(`SELECT count(*) AS total ${from} ${where}`, ...values)[0]!['total']!;
      if (counted !== undefined)
        all(
          `SELECT counted.value, count(*) AS documents ${from} JOIN meta counted ON counted.document = d.id AND ` +
            `counted.key = '${counted}' ${where} GROUP BY counted.value ORDER BY documents DESC LIMIT 400`,
          ...values,
        );
      return total;
    },
  };
}

function conditionsOf({ words, filter, days }: Ask): { from: string; where: string; values: readonly string[] } {
  const conditions: string[] = [];
  const values: string[] = [];
  if (words !== undefined) {
    conditions.push('texts MATCH ?');
    values.push(words.map((word) => `"${word}"`).join(' OR '));
  }
  if (filter !== undefined) {
    conditions.push('d.id IN (SELECT document FROM meta WHERE key = ? AND value = ?)');
    values.push(...filter);
  }
  if (days !== undefined) {
    conditions.push("d.id IN (SELECT document FROM meta WHERE key = 'day' AND value BETWEEN ? AND ?)");
    values.push(...days);
  }
  return {
    from: words === undefined ? 'FROM documents d' : 'FROM texts JOIN documents d ON d.id = texts.rowid',
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    values,
  };
}
