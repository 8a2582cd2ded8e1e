import type { FieldText, FormAt } from '../../../search/inverted/index.ts';
import { type BodyCodec, BodyLost, inList, type Queries, type Row } from '../../../storage/index.ts';
import { tokenizeCodeInPieces } from '../../../text/code/index.ts';
import { andInPartition, type Partition } from '../../view/index.ts';
import { CODE_CLASS } from './document-classes.ts';
import type { IndexedDocument } from './text-index.ts';
import type { DocumentText } from './to-indexed.ts';

interface TextRow extends Row {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly lang: string;
  readonly meta: string;
  readonly body: Uint8Array;
}

/** Bodies may be large, so only a few are in memory at once. */
const TEXTS_AT_ONCE = 32;

/**
 * Consecutive numbers multiplied by this, which is 2^32 over the golden ratio, are spread evenly (Knuth, volume 3,
 * section 6.4).
 */
const SPREAD = 2_654_435_761;
const SPREAD_SIZE = 2 ** 32;

const COLUMNS = 'ord, id, key, lang, meta, body';

/** A document without its body. */
export type DocumentIdentity = Pick<DocumentText, 'key' | 'lang' | 'meta'>;

interface Selecting {
  /** The only documents that are read; all of the collection by default. */
  readonly partition?: Partition;
  /**
   * Below 1: a sample of about that fraction of the documents. A document is always or never in it while it keeps its
   * ordinal.
   */
  readonly share?: number;
  /** Whether to read a document; all by default. */
  readonly accepts?: ((document: DocumentIdentity) => boolean) | undefined;
}

/**
 * The documents of some ordinals, without those that were deleted and those whose bodies have more than `mostBytes`.
 */
export async function* textsOf(queries: Queries, codec: BodyCodec, ords: readonly number[],
  mostBytes?: number): AsyncGenerator<DocumentText>
{
  const [small, bytes] = mostBytes === undefined ? ['', []] : [' AND bytes <= ?', [mostBytes]];
  for (let i = 0; i < ords.length; i += TEXTS_AT_ONCE) {
    const { marks, params } = inList(ords.slice(i, i + TEXTS_AT_ONCE));
    const rows = await queries.all<TextRow>(`SELECT ${COLUMNS} FROM documents WHERE ord IN (${marks})${small}`, [
      ...params,
      ...bytes,
    ]);
    await codec.fetchAhead(rows.map(({ body }) => body));
    for (const row of rows) yield toText(row, codec);
  }
}

/**
 * All documents of a collection that have not expired at `now`. Pages follow the id, which never changes, so that every
 * document which is not written meanwhile is returned exactly once, without holding a snapshot.
 */
export async function* allTexts(queries: Queries, codec: BodyCodec, collection: string, now: number,
  { partition, share = 1, accepts = () => true }: Selecting = {}): AsyncGenerator<DocumentText>
{
  const sample = share < 1 ? `AND (ord * ${SPREAD}) % ${SPREAD_SIZE} < ${Math.floor(share * SPREAD_SIZE)}` : '';
  const within = partition === undefined ? '' : andInPartition(partition);
  const page =
    `SELECT ${COLUMNS} FROM documents WHERE id > ? AND id < ? AND (expires_at IS NULL OR expires_at > ?) ${within} ${sample} ` +
    `ORDER BY id LIMIT ${TEXTS_AT_ONCE}`;
  // `}` is the character after the `|` that follows the collection's name in an id.
  for (let after: string | undefined = `${collection}|`; after !== undefined;) {
    const rows: TextRow[] = await queries.all<TextRow>(page, [after, `${collection}}`, now]);
    await codec.fetchAhead(rows.filter((row) => accepts(toIdentity(row))).map(({ body }) => body));
    for (const row of rows) if (accepts(toIdentity(row))) yield toText(row, codec);
    after = rows.length === TEXTS_AT_ONCE ? rows.at(-1)!.id : undefined;
  }
}

async function toText(row: TextRow, codec: BodyCodec): Promise<DocumentText> {
  return { ord: row.ord, ...toIdentity(row), contentMd: await bodyOf(row, codec) };
}

/** A body that is lost permanently has no words; the document is found by the rest of it. */
async function bodyOf({ body }: TextRow, codec: BodyCodec): Promise<string> {
  try {
    return await codec.decodeAsync(body);
  } catch (error) {
    if (error instanceof BodyLost) return '';
    throw error;
  }
}

function toIdentity({ key, lang, meta }: TextRow): DocumentIdentity {
  return { key, lang, meta: JSON.parse(meta) as Record<string, string[]> };
}

/**
 * The texts of a document as the index receives them, in steps. Texts of source code are tokenized here, all others in
 * the index.
 */
export function* fieldTexts(
  { documentClass, fields, named }: Pick<IndexedDocument, 'documentClass' | 'fields' | 'named'>,
): Generator<undefined, FieldText[]> {
  const texts: FieldText[] = [];
  for (let field = 0; field < fields.length; field++) for (const text of fields[field]!) texts.push({ field, text });
  for (const [field, values] of named) for (const text of values) texts.push({ field, text });
  if (documentClass === CODE_CLASS) {
    for (const [i, value] of texts.entries())
      if ('text' in value) texts[i] = { field: value.field, tokens: yield* codeTokens(value.text) };
  }
  return texts;
}

function* codeTokens(text: string): Generator<undefined, FormAt[]> {
  const tokens: FormAt[] = [];
  for (const piece of tokenizeCodeInPieces(text)) {
    for (const { form, position } of piece) tokens.push({ form, position });
    yield;
  }
  return tokens;
}
