import type { Writable } from 'node:stream';
import type { ClientBase, QueryResult } from 'pg';
import { Lru } from '../../lib/caches.ts';
import { checkParameters } from '../parameters.ts';
import type { Row, SqlValue } from '../port.ts';
import { changesRows, changesSchema } from '../sql-text.ts';
import { toPostgres, type Translated } from './dialect.ts';
import { isStale } from './failures.ts';
import { toParameter, types } from './values.ts';

const KEPT = 512;

const COLUMN_TYPES =
  'SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute WHERE attrelid = to_regclass(?) ' +
  'AND attnum > 0 AND NOT attisdropped';

interface Named extends Translated {
  /** Each connection prepares it once under this name. */
  readonly name: string;
}

/**
 * The statements of a database, each translated once. Each connection parses and plans a statement when its name is
 * first used there.
 */
export class Statements {
  readonly #named = new Lru<string, Named>(KEPT);
  /** By table; undefined while they are being read. */
  #types = new Map<string, ReadonlyMap<string, string> | undefined>();
  readonly #schema: string | undefined;
  #next = 0;

  /** `schema`: see `toPostgres`. */
  constructor(schema?: string) {
    this.#schema = schema;
  }

  /** Throws at once what cannot be sent, before it returns a promise. */
  query(client: ClientBase, sql: string, params: readonly SqlValue[]): Promise<QueryResult<Row>> {
    const named = this.#find(sql);
    checkParameters(sql, named.parameters, params);
    const values = params.map(toParameter);
    if (changesSchema(sql)) {
      this.#named.clear(); // columns that `SELECT *` returns
      this.#types = new Map(); // and not cleared, because types may be on their way
      return client.query({ text: named.text, values, types });
    }
    inOneWrite(client);
    return client.query({ name: named.name, text: named.text, values, types }).catch((error: unknown) => {
      if (isStale(error)) this.#named.clear();
      throw error;
    });
  }

  /** As `query`. */
  run(client: ClientBase, sql: string, params: readonly SqlValue[]): Promise<{ changes: number }> {
    return this.query(client, sql, params).then(({ rowCount }) => ({
      changes: changesRows(sql) ? (rowCount ?? 0) : 0,
    }));
  }

  /**
   * The types of the columns of a table, by name. The first call reads them and returns undefined, because what follows
   * must be sent without waiting for them.
   */
  columnTypes(client: ClientBase, table: string): ReadonlyMap<string, string> | undefined {
    const types = this.#types;
    if (!types.has(table)) {
      types.set(table, undefined);
      this.query(client, COLUMN_TYPES, [table]).then(
        ({ rows }) => types.set(table, new Map(rows.map(({ name, type }) => [name as string, type as string]))),
        () => types.delete(table),
      );
    }
    return types.get(table);
  }

  /** A statement that is run only once. */
  translate(sql: string): Translated {
    return toPostgres(sql, this.#schema);
  }

  #find(sql: string): Named {
    const known = this.#named.get(sql);
    if (known !== undefined) return known;
    const named = { ...this.translate(sql), name: `q${++this.#next}` };
    this.#named.set(sql, named);
    return named;
  }
}

/**
 * Sends the statements that are submitted from now on until the caller pauses in one write: otherwise each costs a
 * system call on both sides, and wakes the server's process.
 */
export function inOneWrite(client: ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  queueMicrotask(() => stream.uncork());
}
