import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { migrate, type Migration } from '../storage/migrations/index.ts';
import type { Sql } from '../storage/port.ts';

type Open = (url: string) => Promise<Sql>;

interface Database {
  path: string;
  /** The schema that it is in, once that is empty. */
  schema: Promise<string>;
  /** How often it is open. */
  opened: number;
}

/**
 * Schemas of a PostgreSQL server, each in place of a database file with the tables of one service. Making these takes a
 * quarter of a second of processor time, more than most tests, and emptying them a tenth of that. So a database uses
 * the schema of one that no longer exists: it is closed, and was in memory or its folder has been removed.
 */
export class PostgresDatabases {
  readonly #server: string;
  readonly #migrations: readonly Migration[];
  readonly #databases: Database[] = [];
  /** A schema that nobody uses, with what the migrations write. */
  #untouched: Promise<string> | undefined;

  /** `server` is a URL without a schema. */
  constructor(server: string, migrations: readonly Migration[]) {
    this.#server = server;
    this.#migrations = migrations;
  }

  /** `open` opens the database that a URL names. */
  async open(path: string, open: Open): Promise<Sql> {
    const database = this.#databases.find((each) => each.path === path && !isGone(each)) ?? this.#add(path, open);
    database.opened++;
    const sql = await database.schema.then((schema) => open(this.#urlOf(schema))).catch((error: unknown) => {
      database.opened--;
      throw error;
    });
    const close = sql.close.bind(sql);
    let closed: Promise<void> | undefined;
    sql.close = () => (closed ??= close().finally(() => database.opened--));
    return sql;
  }

  #add(path: string, open: Open): Database {
    const unused = this.#databases.find(isGone);
    if (unused === undefined) {
      const fresh = { path, schema: this.#create(open), opened: 0 };
      this.#databases.push(fresh);
      return fresh;
    }
    unused.path = path;
    unused.schema = unused.schema.then((schema) => this.#empty(schema, open));
    return unused;
  }

  async #create(open: Open): Promise<string> {
    const schema = `q${randomUUID().replaceAll('-', '')}`;
    await this.#run(`CREATE SCHEMA ${schema}`);
    const sql = await open(this.#urlOf(schema));
    await migrate(sql, this.#migrations);
    await sql.close();
    return schema;
  }

  async #empty(schema: string, open: Open): Promise<string> {
    this.#untouched ??= this.#create(open);
    await this.#run(emptying(schema, await this.#untouched));
    return schema;
  }

  async #run(statements: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.#server });
    await client.connect();
    try {
      await client.query(statements);
    } finally {
      await client.end();
    }
  }

  #urlOf(schema: string): string {
    return `${this.#server}?options=-c%20search_path%3D${schema}`;
  }
}

function isGone({ path, opened }: Database): boolean {
  return opened === 0 && (path === ':memory:' || !existsSync(dirname(path)));
}

/**
 * Makes the tables, rows and sequences of a schema those of an untouched one. The connections of the database that was
 * in it have ended when the lock by which they show that they are there is free (src/storage/postgres/peers.ts).
 */
function emptying(schema: string, untouched: string): string {
  return `
    BEGIN;
    SET LOCAL search_path = ${schema};
    SET LOCAL session_replication_role = replica;
    SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 1));
    DO $$
    DECLARE
      each record;
    BEGIN
      FOR each IN SELECT relname AS name FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND to_regclass(format('${untouched}.%I', relname)) IS NULL LOOP
        EXECUTE format('DROP TABLE %I', each.name);
      END LOOP;
      FOR each IN SELECT relname AS name FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 LOOP
        EXECUTE format('DELETE FROM %I', each.name);
      END LOOP;
      FOR each IN SELECT relname AS name FROM pg_class WHERE relnamespace = '${untouched}'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 LOOP
        EXECUTE format('INSERT INTO %I SELECT * FROM ${untouched}.%I', each.name, each.name);
      END LOOP;
      FOR each IN SELECT relname AS name FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'S' LOOP
        EXECUTE format('SELECT setval(%L, last_value, is_called) FROM ${untouched}.%I', each.name, each.name);
      END LOOP;
    END $$;
    COMMIT`;
}
