import { OrdSet } from '../../../lib/ord-set.ts';
import { Pace } from '../../../lib/pace.ts';
import type { MeaningHit } from '../../../search/fusion/fuse.ts';
import { gathered } from '../../../search/parts/index.ts';
import type { Queries, Row } from '../../../storage/index.ts';
import type { FollowingView, Passage, PassageQuery, Retriever } from '../../search/index.ts';
import type { NearestQuery, VectorSearch } from '../vector-search.ts';

export interface VectorsSide extends Pick<VectorSearch, 'searchByVector' | 'passagesOf' | 'chunkCounts'> {
  readonly view?: FollowingView | undefined;
  /** See `Retriever`. */
  readonly followsDocuments?: boolean | undefined;
}

/** Finds the documents or passages that are nearest to a vector. */
export function vectorsRetriever(side: VectorsSide, sql: Queries, query: Omit<NearestQuery, 'k' | 'eligible'>,
  signal: AbortSignal): Retriever<MeaningHit, PassageQuery, Passage | undefined>
{
  return {
    view: side.view,
    followsDocuments: side.followsDocuments,
    async candidates({ eligible, factors }, { limit: k }) {
      if (factors === undefined) return side.searchByVector({ ...query, k, eligible }, signal);
      const last = (await sql.get<{ ord: number | null }>('SELECT max(ord) AS ord FROM documents'))?.ord ?? 0;
      const found = await Promise.all(
        groupsByFactor(factors, eligible, last).map((group) =>
          side.searchByVector({ ...query, k, eligible: group }, signal)
        ),
      );
      const [{ algorithm, incomparable }] = found as [(typeof found)[number]];
      return {
        hits: found.flatMap(({ hits }) => hits).map((hit) => ({ ...hit, score: hit.score * (factors[hit.ord] ?? 1) })),
        // A group may be so small that its vectors were scanned.
        algorithm: found.some((each) => each.algorithm === 'flat') ? 'flat' : algorithm,
        incomparable,
      };
    },
    async features(passages) {
      const runs = passages.filter(({ first, last }) => last > first);
      const counts = runs.length === 0
        ? []
        : await gathered(() => side.chunkCounts(query.collection, runs.map(({ ord }) => ord)));
      const ends = new Map(runs.map((run, i) => [run, Math.max(run.first, Math.min(run.last, counts[i]! - 1))]));
      return side.passagesOf(passages.map((passage) => ({
        ord: passage.ord,
        first: passage.first,
        last: ends.get(passage) ?? passage.first,
      })));
    },
  };
}

/**
 * Documents by the effect of boosts: those with raised scores, those with lowered scores, and the rest, as far as they
 * are eligible. The nearest of each group are candidates, because a vector index ranks without boosts: its first
 * results must not displace documents that boosts move to the front. `last` is the greatest ordinal.
 */
function groupsByFactor(factors: Float32Array, eligible: OrdSet | undefined, last: number): readonly OrdSet[] {
  const [gaining, losing, rest] = [new OrdSet(last + 1), new OrdSet(last + 1), OrdSet.upTo(last)];
  for (let ord = 0; ord < factors.length; ord++) {
    const factor = factors[ord]!;
    if (factor === 1) continue;
    (factor > 1 ? gaining : losing).add(ord);
    rest.delete(ord);
  }
  const groups = [gaining, losing, rest];
  if (eligible !== undefined) { for (const group of groups) group.intersect(eligible); }
  return groups;
}

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
  FROM vectors v JOIN embeddings e ON e.ord = v.ord AND e.space = v.space JOIN documents d ON d.ord = v.ord`;

/**
 * The positions of runs of chunks of a space in their bodies; undefined for one whose body was changed since, or whose
 * document was deleted.
 */
export async function readPassages(queries: Queries, space: string,
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
      `${SELECT} WHERE (v.ord, v.space, v.chunk) IN (VALUES ${some.map(() => '(?, ?, ?)').join(', ')})`,
      some.flatMap(({ ord, chunk }) => [ord, space, chunk]),
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
