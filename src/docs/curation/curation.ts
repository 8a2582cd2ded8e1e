import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { CurationRule as RuleAnswer } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { unixSeconds } from '../../lib/clock.ts';
import { forbidden, type Handlers, type Identity } from '../../operations/index.ts';
import type { Queries, Row, SqlValue, Transaction } from '../../storage/index.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import { collapseSpace, type CurationRule, type Pin, RuleBook } from './curation-rule.ts';

type CurationHandlers = Required<
  Pick<Handlers<Operations>, 'listCurationRules' | 'createCurationRule' | 'updateCurationRule' | 'deleteCurationRule'>
>;

/** Rules of editors about the results of a query (contract section 4, "Webhooks, automation, curation"). */
export interface Curation {
  readonly handlers: CurationHandlers;
  /** Reads all rules into memory. Call it before the first use, and again after the database was replaced. */
  load(): Promise<void>;
  /**
   * The rules of a collection in the order of `createdAt`, disabled ones included, for `applyCuration`. Letter case
   * does not matter.
   */
  rulesOf(collection: string): readonly CurationRule[];
}

/** Decisions section 8. */
const MAX_RULES = 1000;

/** The fields of a rule in a request. */
interface Draft {
  readonly collection: string;
  readonly query: string;
  readonly matchMode: CurationRule['matchMode'];
  readonly pins: readonly (Omit<Pin, 'position'> & { readonly position?: number })[];
  readonly hides: readonly string[];
  readonly enabled: boolean;
  readonly ignoreFilters: boolean;
}

export function createCuration({ sql, feed, clock }: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock'>): Curation {
  const book = new RuleBook();
  const store = async (tx: Transaction, rule: CurationRule): Promise<void> => {
    await writeRule(tx, rule);
    await feed.append(tx, [{ kind: 'curation.put', collection: rule.collection.toLowerCase(), key: rule.id }]);
    tx.onCommit(() => book.set(rule));
  };
  const create = async (tx: Transaction, draft: Draft): Promise<CurationRule> => {
    if ((await countRules(tx)) >= MAX_RULES)
      throw new ServiceError('invalid_argument', `at most ${MAX_RULES} curation rules are kept`);
    const now = unixSeconds(clock);
    const rule = toRule(newId(), draft, now, now);
    await store(tx, rule);
    return rule;
  };
  const update = async (tx: Transaction, id: string, draft: Draft, identity: Identity): Promise<CurationRule> => {
    const { collection, createdAt } = await requireVisible(tx, id, identity);
    // The permission on its new collection was checked with the input.
    if (!identity.may('write', collection)) throw forbidden('write', collection);
    const rule = toRule(id, draft, createdAt, unixSeconds(clock));
    await store(tx, rule);
    return rule;
  };
  const remove = async (tx: Transaction, id: string, collection: string | undefined): Promise<void> => {
    const rule = await requireRule(tx, id, collection);
    await removeRule(tx, id);
    await feed.append(tx, [{ kind: 'curation.delete', collection: rule.collection.toLowerCase(), key: id }]);
    tx.onCommit(() => book.delete(id));
  };

  const handlers: CurationHandlers = {
    async listCurationRules({ id, collection }, { identity }) {
      if (id !== undefined) return toAnswer(requireReadable(requireWithin(book.get(id), collection), identity));
      const found = collection === undefined ? book.list() : book.of(collection);
      const rules = found.filter((rule) => identity.may('read', rule.collection)).map(toAnswer);
      return { rules, total: rules.length, ...(collection !== undefined && { collection }) };
    },
    createCurationRule: async (draft, context) => toAnswer(await transactFor(sql, context, (tx) => create(tx, draft))),
    updateCurationRule: async ({ id, ...draft }, context) =>
      toAnswer(await transactFor(sql, context, (tx) => update(tx, id, draft, context.identity))),
    async deleteCurationRule({ id, collection }, context) {
      await transactFor(sql, context, (tx) => remove(tx, id, collection));
      return { status: 'deleted', id };
    },
  };
  return {
    handlers,
    rulesOf: (collection) => book.of(collection),
    // In a transaction, so that no write can commit between reading and replacing.
    load: () =>
      sql.transaction(async (tx) => {
        const rules = await readRules(tx);
        tx.onCommit(() => book.replace(rules));
      }),
  };
}

/** The prefix tells a reader of a log what the id names. */
function newId(): string {
  return `cur_${randomBytes(12).toString('hex')}`;
}

/**
 * Throws `invalid_argument` for a query that consists of spaces, which would match every search that contains a space.
 */
function toRule(id: string, { collection, query, matchMode, pins, hides, enabled, ignoreFilters }: Draft,
  createdAt: number, updatedAt: number): CurationRule
{
  const collapsed = collapseSpace(query);
  if (collapsed === '') throw new ServiceError('invalid_argument', 'query must not be blank');
  const placed = pins.map(({ key, lang, position = 0 }) => ({ key, ...(lang !== undefined && { lang }), position }));
  return {
    id,
    collection,
    query: collapsed,
    matchMode,
    pins: placed,
    hides,
    enabled,
    ignoreFilters,
    createdAt,
    updatedAt,
  };
}

async function requireRule(tx: Transaction, id: string, collection?: string): Promise<CurationRule> {
  return requireWithin(await readRule(tx, id), collection);
}

/** A rule is hidden from callers who may neither read nor write its collection. */
async function requireVisible(tx: Transaction, id: string, identity: Identity): Promise<CurationRule> {
  const rule = await requireRule(tx, id);
  return identity.may('write', rule.collection) ? rule : requireReadable(rule, identity);
}

function requireReadable(rule: CurationRule, identity: Identity): CurationRule {
  if (!identity.may('read', rule.collection)) throw new ServiceError('not_found', 'not found');
  return rule;
}

/** Throws `not_found` when there is no rule, or when it belongs to another collection than the given one. */
function requireWithin(rule: CurationRule | undefined, collection: string | undefined): CurationRule {
  const elsewhere = collection !== undefined && rule?.collection.toLowerCase() !== collection.toLowerCase();
  if (rule === undefined || elsewhere) throw new ServiceError('not_found', 'not found');
  return rule;
}

/** The arrays of the generated type are mutable; those of the rules in memory are not. */
function toAnswer(rule: CurationRule): RuleAnswer {
  return { ...rule, pins: rule.pins.map((pin) => ({ ...pin })), hides: [...rule.hides] };
}

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
  readonly ignore_filters: number;
}

const COLUMNS = 'id, collection, query, match_mode, enabled, created_at, updated_at, pins, hides, ignore_filters';

/** Every rule, in the order of creation. */
async function readRules(queries: Queries): Promise<CurationRule[]> {
  return (await queries.all<RuleRow>(`SELECT ${COLUMNS} FROM curation_rules ORDER BY created_at, seq`)).map(ruleOfRow);
}

async function readRule(queries: Queries, id: string): Promise<CurationRule | undefined> {
  const row = await queries.get<RuleRow>(`SELECT ${COLUMNS} FROM curation_rules WHERE id = ?`, [id]);
  return row && ruleOfRow(row);
}

async function countRules(queries: Queries): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM curation_rules'))!.n;
}

/** Stores a rule under its id, replacing an existing one. */
async function writeRule(tx: Transaction, rule: CurationRule): Promise<void> {
  await tx.run(`INSERT INTO curation_rules(${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET
       collection = excluded.collection, query = excluded.query, match_mode = excluded.match_mode, enabled = excluded.enabled,
       updated_at = excluded.updated_at, pins = excluded.pins, hides = excluded.hides,
       ignore_filters = excluded.ignore_filters`, toParameters(rule));
}

async function removeRule(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM curation_rules WHERE id = ?', [id]);
}

function ruleOfRow(row: RuleRow): CurationRule {
  return {
    id: row.id,
    collection: row.collection,
    query: row.query,
    matchMode: row.match_mode as CurationRule['matchMode'],
    pins: JSON.parse(row.pins) as Pin[],
    hides: JSON.parse(row.hides) as string[],
    enabled: row.enabled === 1,
    ignoreFilters: row.ignore_filters === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toParameters(rule: CurationRule): SqlValue[] {
  const { id, collection, query, matchMode, enabled, createdAt, updatedAt, pins, hides, ignoreFilters } = rule;
  return [id, collection, query, matchMode, Number(enabled), createdAt, updatedAt, JSON.stringify(pins),
    JSON.stringify(hides), Number(ignoreFilters)];
}
