import { withCodeSymbols } from '../../text/code/index.ts';
import type { Deps } from './deps.ts';
import type { Meta } from './meta.ts';

/**
 * The metadata to store with a body: those of a code document hold its symbols, rewritten on each save
 * and gone when it stops being code (contract section 2, "Code documents"). Parsing takes its time, so
 * this comes before the transaction.
 */
export function withSymbols({ codeMaxSymbols: maxSymbols }: Pick<Deps, 'codeMaxSymbols'>, key: string, meta: Meta, contentMd: string): Meta {
  return withCodeSymbols({ key, meta, contentMd }, { maxSymbols }).meta;
}
