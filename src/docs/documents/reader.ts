import { crc32 } from 'node:zlib';
import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import { documentTest, type Filter } from '../../search/filter/index.ts';
import { inList, type Row, type SqlValue } from '../../storage/index.ts';
import { selectDocuments } from '../columns/index.ts';
import { expressionOf, type FilterInput } from '../search/index.ts';
import { type CollectionRow, readCollection } from '../stored-collections.ts';
import { shownVectors } from '../stored-vectors.ts';
import { hex } from './checksums.ts';
import type { Deps } from './deps.ts';
import { decodeDocument, type Meta, scanRows, SHOWN, type WithBody } from './document-rows.ts';
import { idBounds } from './identity.ts';

/** Bodies may be large, so only a few are in memory at once. */
const BATCH = 64;

/** Whether documents carry their supplied vectors. */
interface WithVectors {
  readonly includeVectors?: boolean | undefined;
}

export interface DocumentReader {
  /**
   * The documents of a collection that match a filter, sorted by id, of one snapshot, in batches; none
   * for an unknown collection. Throws `invalid_argument` when the filter is too large, and `IndexLoading`.
   */
  documents(collection: string, filterMeta?: Meta, filters?: FilterInput & WithVectors): AsyncIterable<Document[]>;
  /** Changes whenever a document of the collection changes; `00000000` without documents. */
  checksum(collection: string): Promise<{ checksum: string; documentCount: number }>;
}

export function createReader(deps: Deps): DocumentReader {
  return {
    documents: (collection, filterMeta = {}, filters = {}) => {
      // Checked here and not with the first batch, when the head of a response may have been sent already.
      const filter = expressionOf({ filterMeta, ...filters });
      if (filter !== undefined) deps.columns.indexOf(collection);
      return streamDocuments(deps, collection, filter, filters.includeVectors === true);
    },
    checksum: (collection) => computeChecksum(deps, collection),
  };
}

async function* streamDocuments({ sql, codec, clock, columns, collections }: Deps, name: string,
  filter: Filter | undefined, includeVectors: boolean): AsyncGenerator<Document[]>
{
  const now = unixSeconds(clock);
  const selected = filter && await selectDocuments(columns, name, { filter, now });
  if (filter !== undefined && selected === undefined) return;
  const isIn = selected?.documents && inSet('ord', selected.documents);
  const passes = filter === undefined ? () => true : documentTest(filter);
  const query = `
    SELECT ${SHOWN}, d.body${includeVectors ? ', d.vectors' : ''} FROM documents d
    WHERE d.id > ? AND d.id < ? AND (d.expires_at IS NULL OR d.expires_at > ?)${
    isIn === undefined ? '' : ` AND ${isIn.sql}`
  } ORDER BY d.id`;
  const pace = new Pace();
  const declared = collections.configOf(name)?.vectors;
  for await (const rows of sql.stream<WithBody & { readonly vectors?: Uint8Array | null }>(query, [...idBounds(name),
    now, ...(isIn?.params ?? [])], {
    batch: BATCH,
  })) {
    const documents: Document[] = [];
    await codec.fetchAhead(rows.map(({ body }) => body));
    for (const row of rows) {
      const document = await decodeDocument(codec, row);
      const vectors = shownVectors(row.vectors ?? null, declared);
      if (vectors !== undefined) document.vectors = vectors;
      // A document that was written after it was selected may no longer pass the filter.
      if (passes(document)) documents.push(document);
      await pace.rest();
    }
    yield documents;
  }
}

interface ChecksumRow extends Row {
  readonly id: string;
  readonly updated_at: number;
  readonly crc: number;
  readonly meta: string;
}

/**
 * CRC-32 over `id \0 updatedAt \0 crc32(body, canonical metadata)` of each document, by id; all CRCs as 8 hex digits.
 * Callers get it keyed, so that they cannot compute it from what they guess.
 */
async function computeChecksum(deps: Deps, name: string): Promise<{ checksum: string; documentCount: number }> {
  const collection = await readCollection(deps.sql, name);
  let checksum = 0;
  let documentCount = 0;
  for await (const rows of collection === undefined ? [] : checksumRows(deps, name, collection)) {
    for (const { id, updated_at: updatedAt, crc, meta } of rows) {
      checksum = crc32(`${id}\0${updatedAt}\0${hex(crc32(meta, crc))}`, checksum);
    }
    documentCount += rows.length;
  }
  return { checksum: documentCount === 0 ? hex(0) : deps.checksums.keyed(checksum), documentCount };
}

function checksumRows({ sql, clock }: Deps, name: string, collection: CollectionRow): AsyncIterable<ChecksumRow[]> {
  const query = `
    SELECT id, updated_at, crc, meta FROM documents
    WHERE id > ? AND id < ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY id`;
  return scanRows<ChecksumRow>(sql, collection, query, [...idBounds(name), unixSeconds(clock)]);
}

/** An SQL condition with its parameters. */
interface SetCondition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Maximum number of ordinals that a statement lists. */
const FEW = 500;
const YES = Uint8Array.of(1);

/**
 * Tests whether a column of ordinals is in a set: a few ordinals are listed; a larger set is passed as a BLOB with one
 * byte for each ordinal.
 */
function inSet(column: string, set: OrdSet): SetCondition {
  const size = set.size;
  if (size === 0) return { sql: '0 = 1', params: [] };
  if (size <= FEW) {
    const { marks, params } = inList([...set]);
    return { sql: `${column} IN (${marks})`, params };
  }
  return { sql: `substr(?, ${column} + 1, 1) = ?`, params: [bytesOf(set), YES] };
}

function bytesOf(set: OrdSet): Uint8Array {
  const { words } = set;
  const bytes = new Uint8Array(words.length * 32);
  for (const [at, word] of words.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) bytes[at * 32 + 31 - Math.clz32(rest & -rest)] = 1;
  }
  return bytes;
}
