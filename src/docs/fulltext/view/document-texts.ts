import type { BodyCodec, Queries, Row } from '../../../storage/index.ts';
import type { DocumentText } from './to-indexed.ts';

interface TextRow extends Row {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly meta: string;
  readonly body: Uint8Array;
}

/** Bodies may be large, so few are in memory at once. */
export const TEXTS_AT_ONCE = 32;

const COLUMNS = 'ord, id, key, lang, meta, body';

/** The documents of some ordinals, at most `TEXTS_AT_ONCE`; those that are gone are left out. */
export async function* textsOf(queries: Queries, codec: BodyCodec, ords: readonly number[]): AsyncGenerator<DocumentText> {
  const rows = await queries.all<TextRow>(`SELECT ${COLUMNS} FROM documents WHERE ord IN (${ords.map(() => '?').join(', ')})`, ords);
  for (const row of rows) yield toText(row, codec);
}

/**
 * All documents of a collection that have not expired at `now`. Pages go by id, which never changes, so
 * that every document which nobody writes meanwhile comes exactly once, without holding a snapshot.
 */
export async function* allTexts(queries: Queries, codec: BodyCodec, collection: string, now: number): AsyncGenerator<DocumentText> {
  const page = `SELECT ${COLUMNS} FROM documents WHERE id > ? AND id < ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY id LIMIT ${TEXTS_AT_ONCE}`;
  // `}` is the character after the `|` that follows the collection's name in an id.
  for (let after: string | undefined = `${collection}|`; after !== undefined;) {
    const rows: TextRow[] = await queries.all<TextRow>(page, [after, `${collection}}`, now]);
    for (const row of rows) yield toText(row, codec);
    after = rows.length === TEXTS_AT_ONCE ? rows.at(-1)!.id : undefined;
  }
}

async function toText({ ord, key, lang, meta, body }: TextRow, codec: BodyCodec): Promise<DocumentText> {
  return { ord, key, lang, meta: JSON.parse(meta) as Record<string, string[]>, contentMd: await codec.decodeAsync(body) };
}
