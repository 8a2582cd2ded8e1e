import { crc32 } from 'node:zlib';
import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { unixSeconds } from '../../lib/clock.ts';
import type { Filter } from '../../search/filter/index.ts';
import type { Row } from '../../storage/index.ts';
import { readCollection, scanRows, type CollectionRow } from './collection-rows.ts';
import type { Deps } from './deps.ts';
import { decodeDocument, SHOWN, type WithBody } from './document-rows.ts';
import { idBounds } from './identity.ts';
import type { Meta } from './meta.ts';
import { checkFilter, passingDocuments, readFilter, type FilterInput } from './filter/index.ts';
import { matchesNothing, matchingOrds, passingOnly, visibleDocuments } from './meta-filter.ts';
import { Pace } from '../../lib/pace.ts';

/** Bodies may be large, so few are in memory at once. */
const BATCH = 64;

export interface DocumentReader {
  /**
   * The documents of a collection that match a filter, sorted by id, of one snapshot, in batches; none
   * for an unknown collection. Throws `invalid_argument` when the filter is too large.
   */
  documents(collection: string, filterMeta?: Meta, filters?: FilterInput): AsyncIterable<Document[]>;
  /** Changes whenever a document of the collection does (decision D-36); `00000000` without documents. */
  checksum(collection: string): Promise<{ checksum: string; documentCount: number }>;
}

export function createReader(deps: Deps): DocumentReader {
  return {
    documents: (collection, filterMeta = {}, filters = {}) => {
      // Checked here and not with the first batch, when the head of an answer may be out already.
      checkFilter(filterMeta);
      return streamDocuments(deps, collection, filterMeta, readFilter(filters));
    },
    checksum: (collection) => computeChecksum(deps, collection),
  };
}

async function* streamDocuments({ sql, codec, clock }: Deps, name: string, filterMeta: Meta, filter: Filter | undefined): AsyncGenerator<Document[]> {
  const collection = await readCollection(sql, name);
  if (collection === undefined || matchesNothing(filterMeta)) return;
  const passing = filter && await passingDocuments(sql, collection, filter);
  const visible = passingOnly(visibleDocuments(collection.id, matchingOrds(collection.id, filterMeta), unixSeconds(clock)), passing);
  const query = `SELECT ${SHOWN}, d.body FROM documents d WHERE d.id > ? AND d.id < ? AND ${visible.sql} ORDER BY d.id`;
  const pace = new Pace();
  for await (const rows of sql.stream<WithBody>(query, [...idBounds(name), ...visible.params], { batch: BATCH })) {
    const documents: Document[] = [];
    for (const row of rows) {
      documents.push(await decodeDocument(codec, row));
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

/** CRC-32 over `id \0 updatedAt \0 crc32(body, canonical metadata)` of each document, by id; all CRCs as 8 hex digits. */
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
  return { checksum: hex(checksum), documentCount };
}

function checksumRows({ sql, clock }: Deps, name: string, collection: CollectionRow): AsyncIterable<ChecksumRow[]> {
  const query = `
    SELECT id, updated_at, crc, meta FROM documents
    WHERE id > ? AND id < ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY id`;
  return scanRows<ChecksumRow>(sql, collection, query, [...idBounds(name), unixSeconds(clock)]);
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
