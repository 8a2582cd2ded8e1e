import type { FieldText, FormAt } from '../../../search/inverted/index.ts';
import { tokenizeCodeInPieces } from '../../../text/code/index.ts';
import { CODE_CLASS } from './document-classes.ts';
import type { IndexedDocument } from './text-index.ts';

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
