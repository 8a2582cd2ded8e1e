import { inList, MultiRow, type Row, type Sql, type SqlValue } from '../../storage/index.ts';
import type { ClusterRows, HoldingsRow, NodeFacts, NodeReport, Owned, ProcessRow } from './cluster-rows.ts';
import type { UnitNumber } from './unit.ts';

/** Values of a list in one statement, and rows of one. */
const VALUES_AT_ONCE = 512;
const ROWS_AT_ONCE = 64;
/** Nodes without a process are forgotten after so long. */
const FORGOTTEN_MS = 7 * 24 * 3_600_000;

const NEW_OWNERS = new MultiRow('INSERT INTO cluster_owners(unit, process, epoch) VALUES', '(?, ?, 1)',
  'ON CONFLICT(unit) DO NOTHING RETURNING unit, epoch');
const RELEASED = new MultiRow("UPDATE cluster_owners SET process = '' FROM (VALUES",
  '(CAST(? AS BIGINT), CAST(? AS BIGINT))',
  ') AS given WHERE unit = given.column1 AND epoch = given.column2 AND process = ?');

/** Milliseconds since 1970 by the clock of the database: not those of the beginning of the transaction. */
const NOW = {
  postgres: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)',
  sqlite: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
} as const;

/** Whether there is a later process of the same name. */
const IS_SUPERSEDED = `EXISTS (
  SELECT 1 FROM cluster_nodes later WHERE later.name = cluster_nodes.name AND later.epoch > cluster_nodes.epoch)`;

interface StoredProcess extends Row {
  readonly process: string;
  readonly name: string;
  readonly epoch: number;
  readonly gone: number;
  readonly address: string;
  readonly version: string;
  readonly weight: number;
  readonly draining: number;
  readonly bytes_limit: number;
  readonly bytes_used: number;
  readonly position: number;
  readonly holdings: number;
  readonly remaining: number;
}

/**
 * The rows of nodes in the database. Leases are compared with its clock, so those of the nodes need not agree. Whether
 * a renewal or the end of a lease comes first is decided by the row of the process, so no session of the database and
 * no advisory lock is needed.
 */
export class SqlRows implements ClusterRows {
  readonly #sql: Pick<Sql, 'all' | 'transaction' | 'withoutTurn'>;
  readonly #now: string;

  constructor(sql: Pick<Sql, 'all' | 'transaction' | 'withoutTurn' | 'info'>) {
    this.#sql = sql;
    this.#now = NOW[sql.info.driver === 'postgres' ? 'postgres' : 'sqlite'];
  }

  async join({ name, address, version, weight, limit }: NodeFacts, process: string, leaseMs: number,
    byForce: boolean): Promise<boolean>
  {
    const rows = await this.#write(
      `INSERT INTO cluster_nodes(process, name, epoch, address, version, weight, bytes_limit, draining, lease_until)
        SELECT ?, ?, coalesce(max(epoch), 0) + 1, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT),
          coalesce(max(draining), 0), ${this.#now} + CAST(? AS BIGINT)
        FROM cluster_nodes WHERE name = ?
        HAVING CAST(? AS BIGINT) = 1
          OR coalesce(max(CASE WHEN gone = 0 AND lease_until > ${this.#now} THEN 1 ELSE 0 END), 0) = 0
        ON CONFLICT DO NOTHING RETURNING name`,
      [process, name, address, version, weight, limit, leaseMs, name, byForce ? 1 : 0],
    );
    return rows.length === 1;
  }

  async renew(process: string, leaseMs: number, { used, position, holdings }: NodeReport): Promise<boolean> {
    const rows = await this.#write(`UPDATE cluster_nodes SET bytes_used = ?, position = ?, holdings = ?,
          lease_until = ${this.#now} + CAST(? AS BIGINT)
        WHERE process = ? AND gone = 0 AND NOT ${IS_SUPERSEDED} RETURNING name`, [used, position, holdings, leaseMs,
      process]);
    return rows.length === 1;
  }

  async leave(process: string): Promise<void> {
    await this.#write(`UPDATE cluster_nodes SET gone = 1, lease_until = ${this.#now} WHERE process = ?`, [process]);
  }

  async bury(): Promise<void> {
    await this.#write(`UPDATE cluster_nodes SET gone = 1 WHERE gone = 0 AND lease_until <= ${this.#now}`);
    await this.#write(`DELETE FROM cluster_nodes WHERE gone = 1
        AND (lease_until <= ${this.#now} - ${FORGOTTEN_MS} OR ${IS_SUPERSEDED})`);
  }

  async processes(): Promise<ProcessRow[]> {
    const rows = await this.#sql.all<StoredProcess>(
      `SELECT process, name, epoch, gone, address, version, weight, draining, bytes_limit, bytes_used, position,
          holdings, lease_until - ${this.#now} AS remaining
        FROM cluster_nodes WHERE gone = 0 OR NOT ${IS_SUPERSEDED} ORDER BY name, epoch`,
    );
    return rows.map(({ gone, draining, bytes_limit: limit, bytes_used: used, remaining, ...row }) => ({
      ...row,
      isGone: gone === 1,
      isDraining: draining === 1,
      limit,
      used,
      remainingMs: remaining,
    }));
  }

  async announce({ process, number, units }: HoldingsRow): Promise<void> {
    await this.#write(`INSERT INTO cluster_holdings(process, number, units) VALUES (?, ?, ?)
        ON CONFLICT(process) DO UPDATE SET number = excluded.number, units = excluded.units
        WHERE cluster_holdings.number < excluded.number`, [process, number, units]);
  }

  async holdingsOf(processes: readonly string[]): Promise<HoldingsRow[]> {
    const all: HoldingsRow[] = [];
    for (const some of batches(processes, VALUES_AT_ONCE)) {
      const { marks, params } = inList(some);
      const sql = `SELECT process, number, units FROM cluster_holdings WHERE process IN (${marks})`;
      all.push(...await this.#sql.all<HoldingsRow & Row>(sql, params));
    }
    return all;
  }

  async setDraining(name: string, isDraining: boolean): Promise<boolean> {
    const rows = await this.#write('UPDATE cluster_nodes SET draining = ? WHERE name = ? RETURNING name', [
      isDraining ? 1 : 0,
      name,
    ]);
    return rows.length > 0;
  }

  async take(process: string, units: readonly UnitNumber[]): Promise<Owned[]> {
    const taken: Owned[] = [];
    for (const some of batches(units, ROWS_AT_ONCE)) {
      const rows = some.flatMap((unit) => [unit, process]);
      taken.push(...await this.#write<Owned & Row>(NEW_OWNERS.text(some.length), rows));
    }
    const isTaken = new Set(taken.map(({ unit }) => unit));
    const others = units.filter((unit) => !isTaken.has(unit));
    for (const some of batches(others, VALUES_AT_ONCE)) taken.push(...await this.#takeOver(process, some));
    return taken;
  }

  ownedBy(process: string): Promise<Owned[]> {
    return this.#sql.all<Owned & Row>('SELECT unit, epoch FROM cluster_owners WHERE process = ? ORDER BY unit', [
      process,
    ]);
  }

  async release(process: string, owned: readonly Owned[]): Promise<void> {
    for (const some of batches(owned, ROWS_AT_ONCE)) {
      const rows = some.flatMap(({ unit, epoch }) => [unit, epoch]);
      await this.#write(RELEASED.text(some.length), [...rows, process]);
    }
  }

  /**
   * In two statements: the first finds owners that are gone, and a process that is gone never returns; the second
   * replaces these and no others, whatever has happened meanwhile. In one statement the node of a new owner might have
   * joined after the snapshot of the statement, and would count as gone. Units of the process itself are included,
   * because the answer to an earlier call may have been lost.
   */
  async #takeOver(process: string, units: readonly UnitNumber[]): Promise<Owned[]> {
    const { marks, params } = inList(units);
    const free = await this.#sql.all<{ unit: number; process: string }>(
      `SELECT unit, process FROM cluster_owners o WHERE unit IN (${marks}) AND (process = ?
        OR NOT EXISTS (SELECT 1 FROM cluster_nodes n WHERE n.process = o.process AND n.gone = 0))`,
      [...params, process],
    );
    const taken: Owned[] = [];
    for (const [former, rows] of Map.groupBy(free, (row) => row.process)) {
      const of = inList(rows.map(({ unit }) => unit));
      taken.push(
        ...await this.#write<Owned & Row>(
          `UPDATE cluster_owners SET process = ?, epoch = epoch + 1 WHERE process = ? AND unit IN (${of.marks})
          RETURNING unit, epoch`,
          [process, former, ...of.params],
        ),
      );
    }
    return taken;
  }

  /** Leases must not wait behind the imports of other nodes, so writes take no turn. */
  #write<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    return this.#sql.withoutTurn<R>?.(sql, params) ?? this.#sql.transaction((tx) => tx.all<R>(sql, params));
  }
}

function batches<T>(items: readonly T[], most: number): T[][] {
  const all: T[][] = [];
  for (let from = 0; from < items.length; from += most) all.push(items.slice(from, from + most));
  return all;
}
