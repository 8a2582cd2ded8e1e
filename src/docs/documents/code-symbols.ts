import type { Row } from '../../storage/index.ts';
import { type CodeSymbols, isCodeDocument, type SourceDocument, SYMBOL_KEYS, symbolsOf, SymbolsUnread,
  withCodeSymbols } from '../../text/code/index.ts';
import type { Deps } from './deps.ts';
import { type Meta, parseMeta } from './document-rows.ts';
import type { Identity } from './identity.ts';

/**
 * The metadata to store with a body (contract section 2, "Code documents"). The metadata of a code document contain its
 * symbols, which are replaced on each save and removed when the document is no longer code, even if the request sends
 * them again. Prose may use the same names freely. Call this before the transaction, because parsing takes time.
 */
export async function withSymbols(deps: Pick<Deps, 'sql' | 'log' | 'codeMaxSymbols'>, identity: Identity, meta: Meta,
  contentMd: string): Promise<Meta>
{
  const document = { key: identity.key, meta, contentMd };
  if (isCodeDocument(document)) return withCodeSymbols(document, await readSymbols(deps, identity, document)).meta;
  const wereNamesOwned = namesSymbols(meta) && (await wasCode(deps, identity));
  return wereNamesOwned ? withCodeSymbols(document, undefined).meta : meta;
}

/** False for documents whose metadata `withSymbols` returns unchanged, as it does for nearly all prose. */
export function concernsSymbols(
  { key, meta = {} }: { readonly key: string; readonly meta?: Meta | undefined },
): boolean {
  return isCodeDocument({ key, meta }) || namesSymbols(meta);
}

function namesSymbols(meta: Meta): boolean {
  return SYMBOL_KEYS.some((name) => Object.hasOwn(meta, name));
}

/** A source that cannot be parsed is stored without symbols and is not refused. */
async function readSymbols({ log, codeMaxSymbols: maxSymbols }: Pick<Deps, 'log' | 'codeMaxSymbols'>, { id }: Identity,
  document: SourceDocument): Promise<CodeSymbols | undefined>
{
  try {
    return await symbolsOf(document, { maxSymbols });
  } catch (error) {
    if (!(error instanceof SymbolsUnread)) throw error;
    log.warn({ err: error, document: id }, 'a code document is stored without its symbols');
    return undefined;
  }
}

interface KeyAndMeta extends Row {
  readonly key: string;
  readonly meta: string;
}

async function wasCode({ sql }: Pick<Deps, 'sql'>, { id }: Identity): Promise<boolean> {
  const row = await sql.get<KeyAndMeta>('SELECT key, meta FROM documents WHERE id = ?', [id]);
  return row !== undefined && isCodeDocument({ key: row.key, meta: parseMeta(row.meta) });
}
