import type { ProjectedDocument } from '../../../generated/docs/sdk/types.gen.ts';
import { Pace } from '../../lib/pace.ts';
import type { AnswerBounds } from '../../operations/index.ts';
import { documentTest, type Filter } from '../../search/filter/index.ts';
import { inList, type Queries } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { type Shown, shown } from './present.ts';
import { documentOf, keepsMeta, metaOf, projectDocument, type Projection } from './project.ts';
import { ContentReader, contentsFor, type ResultRow } from './read-rows.ts';

export interface PresentedDocument extends Shown<ProjectedDocument> {
  readonly ord: number;
}

export interface Presenting {
  /** The filter that documents must pass, absent for all, at a time in Unix seconds. */
  readonly filter: Filter | undefined;
  readonly now: number;
  readonly projection: Projection;
}

/** Number of rows that one statement reads. */
const STEP = 64;

const COLUMNS_OF_PAGE = 'd.ord, d.id, d.key, d.lang, d.added_at, d.updated_at, d.expires_at';

/**
 * Documents by their ordinals, in this order, as many as fit the response; the rest is not read. A document that was
 * written after it was selected, and no longer passes the filter, is left out.
 */
export async function presentInOrder({ sql, codec }: Pick<DocsEnvironment, 'sql' | 'codec'>, ords: readonly number[],
  { filter, now, projection }: Presenting, { signal, budget }: AnswerBounds): Promise<PresentedDocument[]>
{
  const pace = new Pace();
  const passes = filter === undefined ? () => true : documentTest(filter);
  const reader = new ContentReader(sql, {
    ...contentsFor(budget, projection.body, projection.body),
    withMeta: filter !== undefined || keepsMeta(projection),
  });
  const documents: PresentedDocument[] = [];
  for await (const rows of rowsInOrder(sql, ords, `${COLUMNS_OF_PAGE}, ${reader.columns}`)) {
    await codec.fetchAhead(rows.map(({ body }) => body));
    for (const row of rows) {
      signal.throwIfAborted();
      const isThere = await reader.take(row);
      if (reader.isSpent) budget.end();
      if (budget.isSpent) return documents;
      if (!isThere) continue; // it was removed after the page was chosen
      const content = row.body === null ? '' : await codec.decodeAsync(row.body);
      const whole = documentOf(row, metaOf(row), content);
      if (!passes(whole) || (whole.expiresAt ?? Infinity) <= now) continue;
      const document = projectDocument(whole, projection);
      const { result, cost, size } = shown(document, {
        body: projection.body ? row.bytes : undefined,
        meta: document.meta,
      });
      if (!budget.take(size)) return documents;
      documents.push({ ord: row.ord, result, cost, size });
      if (pace.isDue) await pace.rest();
    }
  }
  return documents;
}

/**
 * `columns` of `documents d`, `ord` among them, in the order of the ordinals, a few rows at a time; removed documents
 * are left out.
 */
async function* rowsInOrder(queries: Queries, ords: readonly number[], columns: string): AsyncGenerator<ResultRow[]> {
  for (let start = 0; start < ords.length; start += STEP) {
    const some = ords.slice(start, start + STEP);
    const { marks, params } = inList(some);
    const rows = await queries.all<ResultRow>(`SELECT ${columns} FROM documents d WHERE d.ord IN (${marks})`, params);
    const byOrd = new Map(rows.map((row) => [row.ord, row]));
    yield some.flatMap((ord) => byOrd.get(ord) ?? []);
  }
}
