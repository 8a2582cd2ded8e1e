import { Pace } from '../../../lib/pace.ts';
import { decodeVectors, inList, type Queries, type Row, type SuppliedVectors } from '../../../storage/index.ts';
import type { Passage, PassageQuery } from '../../search/index.ts';

/** Maximum number of documents whose vectors one statement reads. */
const STEP = 64;

interface VectorsRow extends Row {
  readonly ord: number;
  readonly crc: number;
  readonly bytes: number;
  readonly vectors: Uint8Array | null;
}

/**
 * The positions of runs of a field's vectors in their bodies; undefined for one whose body was changed since, or whose
 * document was deleted.
 */
export async function readFieldPassages(queries: Queries, field: string,
  wanted: readonly PassageQuery[]): Promise<(Passage | undefined)[]>
{
  const ords = [...new Set(wanted.map(({ ord }) => ord))];
  const found = new Map<number, SuppliedVectors>();
  const pace = new Pace();
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await queries.all<VectorsRow>(`SELECT ord, crc, bytes, vectors FROM documents WHERE ord IN (${marks})`,
      params);
    for (const { ord, crc, bytes, vectors } of rows) {
      const stored = vectors === null ? undefined : decodeVectors(vectors, field).get(field);
      if (stored?.crc === crc && stored.bytes === bytes) found.set(ord, stored);
    }
    await pace.rest();
  }
  return wanted.map(({ ord, first, last }) => toPassage(found.get(ord), first, last));
}

/** Passages may be in any order, and overlap: a run of them is from the least place to the greatest. */
function toPassage(stored: SuppliedVectors | undefined, first: number, last: number): Passage | undefined {
  const places = stored?.places.slice(first, last + 1) ?? [];
  if (stored === undefined || places.length === 0) return undefined;
  return {
    start: Math.min(...places.map(({ start }) => start)),
    end: Math.max(...places.map(({ end }) => end)),
    startLine: Math.min(...places.map(({ startLine }) => startLine)),
    endLine: Math.max(...places.map(({ endLine }) => endLine)),
    crc: stored.crc,
    bytes: stored.bytes,
  };
}
