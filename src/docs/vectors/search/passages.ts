import { Pace } from '../../../lib/pace.ts';
import type { Queries, Row } from '../../../storage/index.ts';
import type { Passage, PassageQuery } from '../../search/index.ts';

interface ChunkRow extends Row {
  readonly ord: number;
  readonly chunk: number;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_byte: number;
  readonly end_byte: number;
  readonly crc: number;
  readonly bytes: number;
  /** Checksum and length of the present body. */
  readonly now_crc: number;
  readonly now_bytes: number;
}

/** Maximum number of chunks that one statement reads. */
const STEP = 256;

const SELECT = `
  SELECT v.ord, v.chunk, v.start_line, v.end_line, v.start_byte, v.end_byte, e.crc, e.bytes, d.crc AS now_crc, d.bytes AS now_bytes
  FROM vectors v JOIN embeddings e ON e.ord = v.ord JOIN documents d ON d.ord = v.ord`;

/**
 * The positions of runs of chunks in their bodies; undefined for one whose body was changed since, or whose document
 * was deleted.
 */
export async function readPassages(queries: Queries,
  wanted: readonly PassageQuery[]): Promise<(Passage | undefined)[]>
{
  const ends = wanted.flatMap((
    { ord, first, last },
  ) => (first === last ? [{ ord, chunk: first }] : [{ ord, chunk: first }, { ord, chunk: last }]));
  const chunks = new Map<string, ChunkRow>();
  const pace = new Pace();
  for (let i = 0; i < ends.length; i += STEP) {
    const some = ends.slice(i, i + STEP);
    const rows = await queries.all<ChunkRow>(
      `${SELECT} WHERE (v.ord, v.chunk) IN (VALUES ${some.map(() => '(?, ?)').join(', ')})`,
      some.flatMap(({ ord, chunk }) => [ord, chunk]),
    );
    for (const row of rows) chunks.set(`${row.ord} ${row.chunk}`, row);
    await pace.rest();
  }
  return wanted.map(({ ord, first, last }) => toPassage(chunks.get(`${ord} ${first}`), chunks.get(`${ord} ${last}`)));
}

/** Both ends may have been read at different times: if they are of different bodies, they are no passage. */
function toPassage(first: ChunkRow | undefined, last: ChunkRow | undefined): Passage | undefined {
  if (first === undefined || last === undefined) return undefined;
  const isPresent = [first, last].every(({ crc, bytes, now_crc, now_bytes }) => crc === now_crc && bytes === now_bytes);
  if (!isPresent || first.crc !== last.crc || first.bytes !== last.bytes) return undefined;
  return {
    start: first.start_byte,
    end: last.end_byte,
    startLine: first.start_line,
    endLine: last.end_line,
    crc: last.crc,
    bytes: last.bytes,
  };
}
