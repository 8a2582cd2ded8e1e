import { tokenTypes } from 'css-tree/tokenizer';
import { ident } from 'css-tree/utils';

const { Comma, Delim, Function: FunctionToken, Hash, Ident, LeftParenthesis, LeftSquareBracket, RightParenthesis,
  RightSquareBracket } = tokenTypes;

/** A token of a statement; whitespace and comments are omitted. */
export interface StyleToken {
  readonly type: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The definitions in one selector of a style rule. */
export interface SelectorNames {
  /** The selector itself, with whitespace as one space; undefined if `&` makes it a part of another selector. */
  readonly text: string | undefined;
  /** Classes and ids without `.` and `#`, escapes decoded. */
  readonly named: readonly { readonly name: string; readonly token: StyleToken }[];
  /** The class that `&-suffix` in a nested rule continues: the selector's last, if any. */
  readonly lastClasses: readonly string[];
}

/** Splits a rule's prelude at its commas, except those inside brackets. */
export function selectorsOf(prelude: readonly StyleToken[]): StyleToken[][] {
  const selectors: StyleToken[][] = [[]];
  let nesting = 0;
  for (const token of prelude) {
    if (opens(token.type)) nesting += 1;
    else if (closes(token.type)) nesting -= 1;
    if (token.type === Comma && nesting <= 0) selectors.push([]);
    else selectors.at(-1)!.push(token);
  }
  return selectors.filter((tokens) => tokens.length > 0);
}

/** The names in a selector; `parents` are the last classes of the enclosing rule's selectors. */
export function namesOf(tokens: readonly StyleToken[], parents: readonly string[]): SelectorNames {
  const named: { name: string; token: StyleToken }[] = [];
  const nested = tokens.some(({ text }) => text === '&');
  let lastClasses: readonly string[] = nested ? parents : [];
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    const isName = token.type === Ident || token.type === FunctionToken; // a mixin of LESS: `.name(`
    const joined = isName && before?.type === Delim && before.end === token.start ? before.text : '';
    const name = ident.decode(token.type === FunctionToken ? token.text.slice(0, -1) : token.text);
    if (token.type === Hash) named.push({ name: ident.decode(token.text.slice(1)), token });
    if (joined === '.') lastClasses = [name];
    else if (joined === '&') lastClasses = parents.map((parent) => parent + name);
    else continue;
    named.push(...lastClasses.map((each) => ({ name: each, token })));
  }
  return { text: nested ? undefined : textOf(tokens), named, lastClasses };
}

/** The tokens, joined by one space wherever there was whitespace or a comment. */
function textOf(tokens: readonly StyleToken[]): string {
  return tokens.map(({ text, start }, i) => (i > 0 && tokens[i - 1]!.end < start ? ` ${text}` : text)).join('');
}

function opens(type: number): boolean {
  return type === LeftParenthesis || type === LeftSquareBracket || type === FunctionToken;
}

function closes(type: number): boolean {
  return type === RightParenthesis || type === RightSquareBracket;
}
