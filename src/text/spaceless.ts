import { CLASS_SHIFT, lookUp, TokenClass, tokenTables } from './token-tables.ts';

/**
 * Whether a form is of a script that is written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese). Where
 * such a form begins and ends in a text is the tokeniser's opinion, and depends on the letters around it.
 */
export function isSpaceless(form: string): boolean {
  const tables = tokenTables();
  let any = false;
  for (const letter of form) {
    const kind = lookUp(tables, letter.codePointAt(0)!) >>> CLASS_SHIFT;
    if (kind === TokenClass.segmented) any = true;
    else if (kind !== TokenClass.extend && kind !== TokenClass.composing) return false;
  }
  return any;
}
