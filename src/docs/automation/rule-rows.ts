import { type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../storage/index.ts';
import type { Rule, RuleBody } from './rule.ts';

interface RuleRow extends Row {
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly since: number;
  readonly last_run: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const COLUMNS = 'id, body, secret, since, last_run, created_at, updated_at';

/** All rules, oldest first. Throws `internal` for a credential whose key is not configured. */
export async function readRules(queries: Queries, keys: KeyRing | undefined): Promise<Rule[]> {
  return (await queries.all<RuleRow>(`SELECT ${COLUMNS} FROM automation_rules ORDER BY seq`)).map((row) => ({
    id: row.id,
    body: JSON.parse(openSecret(keys, SECRETS.rule, row.id, row.body)) as RuleBody,
    secret: openSecret(keys, SECRETS.ruleSecret, row.id, row.secret),
    since: row.since,
    lastRun: row.last_run,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

export async function countRules(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM automation_rules'))!.n;
}

/** Whether there is a trigger, including those of other transactions in the same group commit. */
export async function hasTrigger(queries: Queries): Promise<boolean> {
  return (await queries.get("SELECT 1 AS one FROM automation_rules WHERE type = 'trigger' LIMIT 1")) !== undefined;
}

/** Stores a rule under its id, replacing an existing one; `since`, `lastRun` and `createdAt` stay. */
export async function writeRule(tx: Transaction, rule: Rule, keys: KeyRing | undefined): Promise<void> {
  const { id, body, secret, since, lastRun, createdAt, updatedAt } = rule;
  await tx.run(`INSERT INTO automation_rules(type, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET type = excluded.type, body = excluded.body, secret = excluded.secret, updated_at = excluded.updated_at`,
    [body.type, id, sealSecret(keys, SECRETS.rule, id, JSON.stringify(body)),
      sealSecret(keys, SECRETS.ruleSecret, id, secret), since, lastRun, createdAt, updatedAt]);
}

/** Stores when a cron ran. */
export async function writeLastRun(tx: Transaction, id: string, lastRun: number): Promise<void> {
  await tx.run('UPDATE automation_rules SET last_run = ? WHERE id = ?', [lastRun, id]);
}

export async function removeRule(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM automation_rules WHERE id = ?', [id]);
}
