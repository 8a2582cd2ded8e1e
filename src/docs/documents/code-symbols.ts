import type { Row } from '../../storage/index.ts';
import { isCodeDocument, SYMBOL_KEYS, withCodeSymbols } from '../../text/code/index.ts';
import type { Deps } from './deps.ts';
import type { Identity } from './identity.ts';
import { parseMeta, type Meta } from './meta.ts';

/**
 * The metadata to store with a body (contract section 2, "Code documents"): those of a code document
 * hold its symbols, rewritten on each save, and lose them when it stops being code, even if they come
 * back with the request. Prose may use the names as it likes. Parsing takes its time, so this comes
 * before the transaction.
 */
export async function withSymbols(deps: Pick<Deps, 'sql' | 'codeMaxSymbols'>, identity: Identity, meta: Meta, contentMd: string): Promise<Meta> {
  const document = { key: identity.key, meta, contentMd };
  const ownsNames = isCodeDocument(document) || (SYMBOL_KEYS.some((name) => Object.hasOwn(meta, name)) && (await wasCode(deps, identity)));
  return ownsNames ? withCodeSymbols(document, { maxSymbols: deps.codeMaxSymbols }).meta : meta;
}

interface KeyAndMeta extends Row {
  readonly key: string;
  readonly meta: string;
}

async function wasCode({ sql }: Pick<Deps, 'sql'>, { id }: Identity): Promise<boolean> {
  const row = await sql.get<KeyAndMeta>('SELECT key, meta FROM documents WHERE id = ?', [id]);
  return row !== undefined && isCodeDocument({ key: row.key, meta: parseMeta(row.meta) });
}
