import type { Queries, Row } from '../../../storage/index.ts';
import { Pace } from '../../../lib/pace.ts';
import type { Passage, PassageQuery } from '../vector-search.ts';

interface ChunkRow extends Row {
  readonly ord: number;
  readonly chunk: number;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_byte: number;
  readonly end_byte: number;
  readonly crc: number;
  readonly bytes: number;
  /** Checksum and length of the body as it is now. */
  readonly now_crc: number;
  readonly now_bytes: number;
}

/** Of a passage, with what names the body that it stands in. */
export interface PlacedPassage extends Passage {
  readonly crc: number;
  readonly bytes: number;
}

/** Chunks read by one statement. */
const STEP = 256;

const SELECT = `
  SELECT v.ord, v.chunk, v.start_line, v.end_line, v.start_byte, v.end_byte, e.crc, e.bytes, d.crc AS now_crc, d.bytes AS now_bytes
  FROM vectors v JOIN embeddings e ON e.ord = v.ord JOIN documents d ON d.ord = v.ord`;

/** Where runs of chunks stand in their bodies; undefined for one whose body was written since, or that is gone. */
export async function readPassages(queries: Queries, wanted: readonly PassageQuery[]): Promise<(PlacedPassage | undefined)[]> {
  const ends = wanted.flatMap(({ ord, first, last }) => (first === last ? [{ ord, chunk: first }] : [{ ord, chunk: first }, { ord, chunk: last }]));
  const chunks = new Map<string, ChunkRow>();
  const pace = new Pace();
  for (let i = 0; i < ends.length; i += STEP) {
    const some = ends.slice(i, i + STEP);
    const rows = await queries.all<ChunkRow>(`${SELECT} WHERE (v.ord, v.chunk) IN (VALUES ${some.map(() => '(?, ?)').join(', ')})`, some.flatMap(({ ord, chunk }) => [ord, chunk]));
    for (const row of rows) chunks.set(`${row.ord} ${row.chunk}`, row);
    await pace.rest();
  }
  return wanted.map(({ ord, first, last }) => toPassage(chunks.get(`${ord} ${first}`), chunks.get(`${ord} ${last}`)));
}

/** Both ends may have been read at different times: of different bodies they are no passage. */
function toPassage(first: ChunkRow | undefined, last: ChunkRow | undefined): PlacedPassage | undefined {
  if (first === undefined || last === undefined) return undefined;
  const isPresent = [first, last].every(({ crc, bytes, now_crc, now_bytes }) => crc === now_crc && bytes === now_bytes);
  if (!isPresent || first.crc !== last.crc || first.bytes !== last.bytes) return undefined;
  return {
    first: first.chunk, last: last.chunk, start: first.start_byte, end: last.end_byte,
    startLine: first.start_line, endLine: last.end_line, crc: last.crc, bytes: last.bytes,
  };
}
