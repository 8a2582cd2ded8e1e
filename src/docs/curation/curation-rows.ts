import type { Queries, Row, SqlValue, Transaction } from '../../storage/index.ts';
import type { CurationRule, Pin } from './curation-rule.ts';

interface RuleRow extends Row {
  readonly id: string;
  readonly collection: string;
  readonly query: string;
  readonly match_mode: string;
  readonly enabled: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly pins: string;
  readonly hides: string;
}

const COLUMNS = 'id, collection, query, match_mode, enabled, created_at, updated_at, pins, hides';

/** Every rule, in the order of creation. */
export async function readRules(queries: Queries): Promise<CurationRule[]> {
  return (await queries.all<RuleRow>(`SELECT ${COLUMNS} FROM curation_rules ORDER BY created_at, seq`)).map(toRule);
}

export async function readRule(queries: Queries, id: string): Promise<CurationRule | undefined> {
  const row = await queries.get<RuleRow>(`SELECT ${COLUMNS} FROM curation_rules WHERE id = ?`, [id]);
  return row && toRule(row);
}

export async function countRules(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM curation_rules'))!.n;
}

/** Stores a rule under its id, replacing an existing one. */
export async function writeRule(tx: Transaction, rule: CurationRule): Promise<void> {
  await tx.run(`INSERT INTO curation_rules(${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET
       collection = excluded.collection, query = excluded.query, match_mode = excluded.match_mode, enabled = excluded.enabled,
       updated_at = excluded.updated_at, pins = excluded.pins, hides = excluded.hides`, toParameters(rule));
}

export async function removeRule(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM curation_rules WHERE id = ?', [id]);
}

function toRule(row: RuleRow): CurationRule {
  return {
    id: row.id,
    collection: row.collection,
    query: row.query,
    matchMode: row.match_mode as CurationRule['matchMode'],
    pins: JSON.parse(row.pins) as Pin[],
    hides: JSON.parse(row.hides) as string[],
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toParameters(rule: CurationRule): SqlValue[] {
  const { id, collection, query, matchMode, enabled, createdAt, updatedAt, pins, hides } = rule;
  return [id, collection, query, matchMode, Number(enabled), createdAt, updatedAt, JSON.stringify(pins),
    JSON.stringify(hides)];
}
