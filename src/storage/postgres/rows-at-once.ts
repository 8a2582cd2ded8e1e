import { Lru } from '../../lib/lru.ts';
import type { SqlValue } from '../port.ts';
import { rowSteps } from '../row-steps.ts';

/** An INSERT of one row of parameters: the text before the row, the row, and what may follow it, such as ON CONFLICT DO NOTHING. */
const ONE_ROW = /^(\s*insert\s+into\s+[\w.]+\s*\([\w\s,]+\)\s*values\s*)(\(\?(?:, ?\?)*\))(\s*(?:on\s+conflict\s*\([\w\s,]+\)\s*do\s+nothing\s*)?)$/i;

type Parts = readonly [head: string, row: string, tail: string];

const parsed = new Lru<string, Parts | false>(256);

/**
 * The statements that run one statement for many rows. An INSERT of a row becomes one of up to 64 rows, because a statement costs a server
 * more than a row.
 */
export function inChunks(sql: string, rows: readonly (readonly SqlValue[])[]): (readonly [sql: string, values: readonly SqlValue[]])[] {
  if (rows.length < 2) return rows.map((row) => [sql, row]);
  const parts = partsOf(sql);
  if (parts === false) return rows.map((row) => [sql, row]);
  const [head, row, tail] = parts;
  return rowSteps(rows).map((some) => [`${head}${Array(some.length).fill(row).join(', ')}${tail}`, some.flat()]);
}

function partsOf(sql: string): Parts | false {
  const known = parsed.get(sql);
  if (known !== undefined) return known;
  const match = ONE_ROW.exec(sql);
  const parts: Parts | false = match !== null && [match[1]!, match[2]!, match[3]!];
  parsed.set(sql, parts);
  return parts;
}
