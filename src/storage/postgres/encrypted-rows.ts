import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import { openBody, openMeta, openRow, openVector, openVectors } from '../encryption/columns.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { SEALED_BLOB, SEALED_META } from '../encryption/record.ts';
import { MUST_BE_SEALED, refusePlaintext } from '../encryption/required.ts';
import type { Row } from '../port.ts';
import { toPostgres } from './dialect.ts';
import { readText } from './values.ts';

/** Statements that may read an encrypted column. */
const MAY_READ = /\b(?:documents|revisions|deleted_revisions|vectors)\b/;

/** Stored text has U+0001 only before `0` and `1` (values.ts), so that no other value begins like this. */
const TEXT = '\u0001e';
const REFUSED_TEXT = '\u0001r';
const TEXT_END = '\u0001e';

const NONCE = 16;
/**
 * What follows the nonce: a body or supplied vectors with the id of the document, a vector with its place, or a value
 * that must not be plaintext.
 */
const [BODY, VECTOR, REFUSED, VECTORS] = [1, 2, 3, 4] as const;
const BYTES_START = NONCE + 1 + 4;

/**
 * Reading of encrypted values over connections of their own, as with SQLite's views (encryption/reading-views.ts): a
 * server cannot decrypt, so temporary views with the names of the tables return each encrypted value together with what
 * it is bound to, and rows are decrypted when they arrive here. Only values that a statement selects are decrypted.
 * Statements cannot look into encrypted values.
 *
 * Bytes are marked by a random nonce of this process, so that no stored value can look like one.
 */
export class EncryptedReads {
  readonly #keys: KeyRing;
  readonly #schema: string;
  readonly #nonce = randomBytes(NONCE);
  readonly #laid = new WeakSet<ClientBase>();

  /** `schema`: the quoted name of the schema, which reaches the tables behind the views. */
  constructor(keys: KeyRing, schema: string) {
    this.#keys = keys;
    this.#schema = schema;
  }

  /**
   * Whether a statement needs the views. Migrations, which come first and could not change tables with views, do not.
   */
  static concerns(sql: string): boolean {
    return MAY_READ.test(sql);
  }

  /**
   * Creates the views on a connection that has none, outside of a transaction. Their columns are those of the tables at
   * this time.
   */
  async prepare(client: ClientBase): Promise<void> {
    if (this.#laid.has(client)) return;
    const { rows } = await client.query<{ relation: string; name: string }>(
      `SELECT c.relname AS relation, a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    );
    const columns = Map.groupBy(rows, ({ relation }) => relation);
    for (const [table, opened] of Object.entries(this.#opened())) {
      const names = columns.get(table)?.map(({ name }) => name);
      if (names === undefined) return; // the migrations have not been applied yet
      const list = names.map((name) => `${opened[name] ?? `t."${name}"`} AS "${name}"`).join(', ');
      await client.query(
        toPostgres(`CREATE OR REPLACE TEMP VIEW ${table} AS SELECT ${list} FROM main.${table} t`, this.#schema).text,
      );
    }
    this.#laid.add(client);
  }

  /** Decrypts the values of rows in place; throws `internal` for one that cannot be read. */
  open<R extends Row>(rows: R[]): R[] {
    for (const row of rows as Row[]) {
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === 'string') {
          if (value.startsWith(TEXT)) row[name] = this.#openText(value);
          else if (value === REFUSED_TEXT) refusePlaintext();
        } else if (value instanceof Uint8Array && value.length > NONCE &&
          this.#nonce.equals(value.subarray(0, NONCE)))
        {
          row[name] = this.#openBytes(value);
        }
      }
    }
    return rows;
  }

  #openText(value: string): string {
    const end = value.indexOf(TEXT_END, TEXT.length);
    return openMeta(this.#keys, value.slice(TEXT.length, end), value.slice(end + TEXT_END.length));
  }

  #openBytes(value: Uint8Array): Uint8Array {
    const kind = value[NONCE];
    if (kind === REFUSED) refusePlaintext();
    const end = BYTES_START + Buffer.from(value.buffer, value.byteOffset).readUInt32BE(NONCE + 1);
    const id = readText(Buffer.from(value.subarray(BYTES_START, end)).toString('utf8'));
    if (kind === BODY) return openBody(this.#keys, id, value.subarray(end));
    if (kind === VECTORS) return openVectors(this.#keys, id, value.subarray(end));
    const [ord, chunk, space] = id.split('/') as [string, string, string];
    return openVector(this.#keys, { ord: Number(ord), space, chunk: Number(chunk) }, value.subarray(end));
  }

  /** The expressions of the columns that may be encrypted, by table and column; `t` is the table. */
  #opened(): Record<string, Record<string, string>> {
    const ofDocument = (column: string): string => `(SELECT d.${column} FROM main.documents d WHERE d.ord = t.ord)`;
    const ofDeleted = (column: string): string =>
      `(SELECT n.${column} FROM main.deleted_documents n WHERE n.ord = t.ord)`;
    const version = (id: string, cid: string) => ({
      meta: this.#text('t.meta', id, cid),
      body: this.#bytes('t.body', BODY, id, cid),
      vectors: this.#bytes('t.vectors', VECTORS, id, cid),
    });
    return {
      documents: version('t.id', 't.cid'),
      revisions: version(ofDocument('id'), ofDocument('cid')),
      deleted_revisions: version(ofDeleted('id'), ofDeleted('cid')),
      vectors: {
        vector: this.#bytes('t.vector', VECTOR, "t.ord::text || '/' || t.chunk::text || '/' || t.space",
          ofDocument('cid')),
      },
    };
  }

  #text(column: string, id: string, cid: string): string {
    return `CASE WHEN ${SEALED_META(column)} THEN chr(1) || 'e' || ${id} || chr(1) || 'e' || ${column}
      WHEN ${column} IS NOT NULL AND ${MUST_BE_SEALED(cid)} THEN chr(1) || 'r' ELSE ${column} END`;
  }

  #bytes(column: string, kind: number, id: string, cid: string): string {
    const mark = (of: number): string => `x'${this.#nonce.toString('hex')}${of.toString(16).padStart(2, '0')}'`;
    const bytes = `convert_to(${id}, 'UTF8')`;
    return `CASE WHEN ${SEALED_BLOB(column)} THEN ${
      mark(kind)
    } || int4send(octet_length(${bytes})) || ${bytes} || ${column}
      WHEN ${column} IS NOT NULL AND ${MUST_BE_SEALED(cid)} THEN ${mark(REFUSED)} ELSE ${column} END`;
  }
}

/**
 * Decrypts rows of a writer, whose connection has no views: those that contain a document's `id`, as with SQLite
 * (`OpenTransaction`). `namesToBeSealed` is called when plaintext is met.
 */
export async function openWritersRows<R extends Row>(keys: KeyRing, rows: R[],
  namesToBeSealed: () => Promise<ReadonlySet<unknown>>): Promise<R[]>
{
  const plain = new Set<string>();
  for (const row of rows) openRow(keys, row, (collection) => (plain.add(collection), false));
  if (plain.size === 0) return rows;
  const names = await namesToBeSealed();
  if ([...plain].some((collection) => names.has(collection))) refusePlaintext();
  return rows;
}
