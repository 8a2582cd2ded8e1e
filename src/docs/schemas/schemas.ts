import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import { looksLikeStringifiedMaps } from '../../text/flatten-meta.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import { compileSchema, Effort, type Meta, type MetaCheck } from './compile-schema.ts';
import { parseSchema, type ValidationSchema } from './parse-schema.ts';

type SchemaHandlers = Required<
  Pick<Handlers<Operations>, 'setSchema' | 'getSchema' | 'deleteSchema' | 'listSchemas' | 'validateDocument'>
>;

/** The rules for the metadata of collections. */
export interface Schemas {
  readonly handlers: SchemaHandlers;
  /** Reads and compiles all schemas; before the first use, and again when the database was replaced. */
  load(): Promise<void>;
  /**
   * The violations of metadata, in the wording of the contract; empty when they are valid or there is no schema.
   * Several documents of one request share its effort. Without a schema there is nothing to wait for.
   */
  violations(collection: string, meta: Meta, effort?: Effort): Promise<string[]> | string[];
  /** Whether the collection has a schema. */
  has(collection: string): boolean;
  /** Values that look like mistakes but are allowed, with or without a schema (contract section 2). */
  warnings(meta: Meta): string[];
}

interface Entry {
  readonly schema: ValidationSchema;
  readonly check: MetaCheck;
}

export function createSchemas({ sql, feed }: Pick<DocsEnvironment, 'sql' | 'feed'>): Schemas {
  // By lowercased name of the collection. Every write needs them, so they are kept in memory, compiled.
  let entries = new Map<string, Entry>();
  const violations: Schemas['violations'] = (collection, meta, effort = new Effort()) =>
    entries.get(collection.toLowerCase())?.check(meta, effort) ?? [];

  const handlers: SchemaHandlers = {
    async setSchema({ collection, schema: given }, context) {
      const name = collection.toLowerCase();
      const schema = parseSchema(given);
      const entry = toEntry(schema);
      await transactFor(sql, context, async (tx) => {
        await writeSchema(tx, name, schema);
        await feed.append(tx, [{ kind: 'schema.put', collection: name }]);
        tx.onCommit(() => entries.set(name, entry));
      });
      return { status: 'ok' };
    },
    async getSchema({ collection }) {
      return { collection, schema: entries.get(collection.toLowerCase())?.schema ?? null };
    },
    async deleteSchema({ collection }, context) {
      const name = collection.toLowerCase();
      await transactFor(sql, context, async (tx) => {
        if (!(await removeSchema(tx, name))) return;
        await feed.append(tx, [{ kind: 'schema.delete', collection: name }]);
        tx.onCommit(() => entries.delete(name));
      });
      return { status: 'ok' };
    },
    async listSchemas(_input, { identity }) {
      const sorted = [...entries].filter(([collection]) => identity.may('read', collection)).sort(([a],
        [b]) => (a < b ? -1 : 1)
      );
      return { schemas: sorted.map(([collection, { schema }]) => ({ collection, schema })) };
    },
    async validateDocument({ collection, meta }) {
      const errors = await violations(collection, meta);
      return { valid: errors.length === 0, errors, warnings: warnings(meta) };
    },
  };
  return {
    handlers,
    violations,
    has: (collection) => entries.has(collection.toLowerCase()),
    warnings,
    // A transaction, so that no write can commit between reading and replacing.
    load: () =>
      sql.transaction(async (tx) => {
        const stored = (await readSchemas(tx)).map(([name, schema]) => [name, toEntry(schema)] as const);
        tx.onCommit(() => {
          entries = new Map(stored);
        });
      }),
  };
}

function toEntry(schema: ValidationSchema): Entry {
  return { schema, check: compileSchema(schema) };
}

/** Structured front matter cannot be stored in flat metadata; as a single text value it cannot be filtered by. */
function warnings(meta: Meta): string[] {
  return Object.entries(meta).filter(([, values]) => values.some(looksLikeStringifiedMaps)).map(([key]) =>
    `key "${key}": a value looks like a stringified list of maps; store JSON, flattened keys such as ` +
    `"${key}.0.name", or leave it in the body`
  );
}

/** Every stored schema with the lowercased name of its collection. */
async function readSchemas(queries: Queries): Promise<(readonly [string, ValidationSchema])[]> {
  const rows = await queries.all<{ collection: string; schema: string }>('SELECT collection, schema FROM schemas');
  return rows.map(({ collection, schema }) => [collection, JSON.parse(schema) as ValidationSchema] as const);
}

async function writeSchema(tx: Transaction, name: string, schema: ValidationSchema): Promise<void> {
  await tx.run(
    'INSERT INTO schemas(collection, schema) VALUES (?, ?) ON CONFLICT(collection) DO UPDATE SET schema = ' +
      'excluded.schema',
    [name, JSON.stringify(schema)],
  );
}

/** Returns whether there was one. */
async function removeSchema(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.run('DELETE FROM schemas WHERE collection = ?', [name])).changes > 0;
}
