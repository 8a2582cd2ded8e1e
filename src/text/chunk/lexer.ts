import { Lexical } from './lexical-profile.ts';
import { isSpace } from './pack.ts';

/**
 * The role of a character of source code. The first character of a string or comment counts as code, because a cut
 * before it does not divide the string or comment.
 */
export const Role = { code: 0, string: 1, comment: 2 } as const;

/** Maximum nesting of template literals that is followed, counting `${` and backticks. */
const MAX_TEMPLATE_NESTING = 32;
const REGEXP_KEYWORDS: ReadonlySet<string> = new Set(['return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'throw',
  'new', 'else', 'do', 'yield', 'await']);

/** The role of each character. A string or comment without an end is not recognised as one. */
export function rolesOf(characters: readonly string[], profile: number): Uint8Array {
  return new Lexer(characters, profile).run();
}

/** A range in which a search has found nothing, so that the next one can be skipped. */
interface Barren {
  from: number;
  to: number;
}

class Lexer {
  readonly #characters: readonly string[];
  readonly #profile: number;
  readonly #barren = new Map<string, Barren>();
  /** The last character that is neither whitespace nor comment; -1 if there is none yet. */
  #last = -1;

  constructor(characters: readonly string[], profile: number) {
    this.#characters = characters;
    this.#profile = profile;
  }

  run(): Uint8Array {
    const roles = new Uint8Array(this.#characters.length);
    for (let at = 0; at < roles.length;) {
      const comment = this.#endOfComment(at);
      const end = comment || this.#endOfString(at) || at + 1;
      roles.fill(comment ? Role.comment : Role.string, at + 1, end);
      if (!comment && !isSpace(this.#characters[end - 1])) this.#last = end - 1;
      at = end;
    }
    return roles;
  }

  #has(bit: number): boolean {
    return (this.#profile & bit) !== 0;
  }

  #startsWith(text: string, at: number): boolean {
    for (let i = 0; i < text.length; i++) if (this.#characters[at + i] !== text[i]) return false;
    return true;
  }

  /** The end of the comment that starts here; 0 if none does. */
  #endOfComment(at: number): number {
    const before = this.#characters[at - 1];
    if (this.#has(Lexical.block) && this.#startsWith('/*', at)) {
      const end = this.#find('*/', at + 2);
      if (end > 0) return end;
    }
    if (this.#has(Lexical.lineSlash) && this.#startsWith('//', at) && before !== ':') return this.#endOfLine(at);
    if (this.#has(Lexical.hash) && this.#characters[at] === '#' && (at === 0 || isSpace(before)))
      return this.#endOfLine(at);
    if (this.#has(Lexical.angle) && this.#startsWith('<!--', at)) return this.#find('-->', at + 4);
    if (!this.#has(Lexical.dash) || !this.#startsWith('--', at)) return 0;
    const long = this.#has(Lexical.longBracket) && this.#startsWith('--[[', at) ? this.#find(']]', at + 4) : 0;
    return long || this.#endOfLine(at);
  }

  /** The end of the string or regular expression that starts here; 0 if none does. */
  #endOfString(at: number): number {
    switch (this.#characters[at]) {
      case '"':
        return (this.#has(Lexical.tripleDouble) && this.#startsWith('"""', at) && this.#find('"""', at + 3))
          || (this.#has(Lexical.double) && this.#quoted('"', at)) || 0;
      case "'":
        return (this.#has(Lexical.tripleSingle) && this.#startsWith("'''", at) && this.#find("'''", at + 3))
          || (this.#has(Lexical.single) && this.#quoted("'", at)) ||
          (this.#has(Lexical.character) && this.#characterLiteral(at)) || 0;
      case '`':
        return (this.#has(Lexical.template) && this.#template(at)) ||
          (this.#has(Lexical.rawBacktick) && this.#find('`', at + 1)) || 0;
      case '[':
        return this.#has(Lexical.longBracket) && this.#startsWith('[[', at) ? this.#find(']]', at + 2) : 0;
      case '/':
        return this.#has(Lexical.regexp) && this.#expectsOperand() ? this.#regexp(at) : 0;
      default:
        return 0;
    }
  }

  #endOfLine(at: number): number {
    const end = this.#characters.indexOf('\n', at);
    return end < 0 ? this.#characters.length : end;
  }

  /** The end of the next occurrence of a terminator; 0 if there is none. */
  #find(terminator: string, from: number): number {
    return this.#search(terminator, from, () => {
      for (let at = from; at < this.#characters.length; at++)
        if (this.#startsWith(terminator, at)) return at + terminator.length;
      return -this.#characters.length;
    });
  }

  /** Runs a search, unless it is known to fail. A failed search returns the negated position at which it gave up. */
  #search(name: string, from: number, search: () => number): number {
    const barren = this.#barren.get(name);
    if (barren !== undefined && barren.from <= from && from <= barren.to) return 0;
    const end = search();
    if (end > 0) return end;
    this.#barren.set(name, { from, to: -end });
    return 0;
  }

  /** A string that ends on its line; a backslash escapes the next character. */
  #quoted(quote: string, at: number): number {
    return this.#search(`${quote} line`, at + 1, () => {
      let i = at + 1;
      while (i < this.#characters.length && this.#characters[i] !== '\n') {
        if (this.#characters[i] === quote) return i + 1;
        i += this.#characters[i] === '\\' && this.#characters[i + 1] !== '\n' ? 2 : 1;
      }
      return -Math.min(i, this.#characters.length);
    });
  }

  #characterLiteral(at: number): number {
    const next = this.#characters[at + 1];
    if (next === undefined || next === "'" || next === '\n') return 0;
    if (next !== '\\') return this.#characters[at + 2] === "'" ? at + 3 : 0;
    for (let i = at + 3; i < at + 13; i++)
      if (this.#characters[i] === "'" && isAscii(this.#characters.slice(at + 2, i))) return i + 1;
    return 0;
  }

  /** Each level of nesting is text (-1) or code in `${}` (the number of its open braces). */
  #template(at: number): number {
    return this.#search('template', at, () => {
      const levels = [-1];
      for (let i = at + 1; i < this.#characters.length;) {
        const character = this.#characters[i]!;
        const braces = levels.at(-1)!;
        if (braces < 0 ? this.#startsWith('${', i) : character === '`') {
          if (levels.length === MAX_TEMPLATE_NESTING) break;
          levels.push(braces < 0 ? 0 : -1);
          i += braces < 0 ? 2 : 1;
        } else if (braces < 0) {
          if (character === '`') levels.pop();
          if (levels.length === 0) return i + 1;
          i += character === '\\' ? 2 : 1;
        } else if (character === '}' && braces === 0) {
          levels.pop();
          i += 1;
        } else {
          if (character === '{') levels[levels.length - 1]! += 1;
          if (character === '}') levels[levels.length - 1]! -= 1;
          i = ('"\''.includes(character) && this.#quoted(character, i)) || i + 1;
        }
      }
      return -this.#characters.length;
    });
  }

  /** Whether a slash here starts a regular expression instead of dividing, according to the preceding characters. */
  #expectsOperand(): boolean {
    if (this.#last < 0) return true;
    const last = this.#characters[this.#last]!;
    if (last === '>') return this.#characters[this.#last - 1] === '=';
    if ('(,=:[!&|?{;+-*%~^'.includes(last)) return true;
    let start = this.#last + 1;
    while (start > 0 && this.#last - start < 6 && /[\w$\u0080-\u{10ffff}]/u.test(this.#characters[start - 1]!))
      start -= 1;
    return REGEXP_KEYWORDS.has(this.#characters.slice(start, this.#last + 1).join(''));
  }

  #regexp(at: number): number {
    return this.#search('regexp', at + 1, () => {
      let inClass = false;
      let i = at + 1;
      while (i < this.#characters.length && this.#characters[i] !== '\n') {
        const character = this.#characters[i];
        if (character === '[') inClass = true;
        else if (character === ']') inClass = false;
        else if (character === '/' && !inClass) return i + 1;
        i += character === '\\' && this.#characters[i + 1] !== '\n' ? 2 : 1;
      }
      return -Math.min(i, this.#characters.length);
    });
  }
}

function isAscii(characters: readonly string[]): boolean {
  return characters.every((character) => character < '\u0080' && character !== '\n');
}
