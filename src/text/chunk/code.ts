import { rolesOf, Role } from './lexer.ts';
import { lexicalProfile } from './lexical-profile.ts';
import { charactersOf, type Chunk, isSpace, pack } from './pack.ts';

/** How good a cut is in front of a character. */
export const CodeLevel = { none: 0, fallback: 1, line: 2, statement: 3, block: 4 } as const;

const OPENERS = '([{';
const CLOSERS = ')]}';

/**
 * Cuts source code into chunks for embeddings (contract, "Code documents"): only where `{}`, `()` and
 * `[]` are balanced, those in strings and comments ignored. It prefers blank lines between constructs
 * that begin at the margin, then lines that begin there, then other lines, and last the lines of a
 * comment and, on a line of more than `budget` characters (which is minified), the place behind a `}`.
 * A construct of more than `budget` characters is kept whole.
 * See `pack` for what a chunk is. This is the definition; `chunkCode` of the kernels is its equal.
 *
 * A bracket without its counterpart counts as none: one that is missing somewhere leaves the rest of
 * the file in pieces.
 */
export function chunkCode(text: string, language: string, budget: number): Chunk[] {
  const characters = charactersOf(text);
  return pack(characters, codeLevels(characters, lexicalProfile(language), budget), budget, true);
}

/** The level of each character; 0 inside brackets and strings. */
export function codeLevels(characters: readonly string[], profile: number, budget: number): Uint8Array {
  const roles = rolesOf(characters, profile);
  const ignored = unmatchedOpeners(characters, roles);
  const levels = new Uint8Array(characters.length);
  const open = [0, 0, 0];
  let line = newLine(true, false, lineLength(characters, 0) > budget);
  for (const [at, character] of characters.entries()) {
    if (character === '\n') line = newLine(line.blank, line.comment, lineLength(characters, at + 1) > budget);
    if (isSpace(character)) {
      if (character !== '\n') line.indented = true;
      continue;
    }
    const balanced = open.every((count) => count === 0);
    const comment = roles[at] === Role.comment || (at + 1 < characters.length && roles[at + 1] === Role.comment);
    if (balanced && line.blank) levels[at] = levelOfLine(character, roles[at]!, line);
    else if (balanced && line.minified && line.afterBrace && roles[at] === Role.code) levels[at] = CodeLevel.fallback;
    if (line.blank) line.comment = comment;
    line.blank = false;
    line.afterBrace = false;
    if (roles[at] !== Role.code || ignored.has(at)) continue;
    if (OPENERS.includes(character)) open[OPENERS.indexOf(character)]! += 1;
    const kind = CLOSERS.indexOf(character);
    if (kind >= 0 && open[kind]! > 0) {
      open[kind]! -= 1;
      line.afterBrace = character === '}';
    }
  }
  return levels;
}

interface Line {
  /** Whether the line before has whitespace only. */
  readonly afterBlank: boolean;
  /** Whether the line before starts in a comment, which belongs to what follows. */
  readonly afterComment: boolean;
  readonly minified: boolean;
  blank: boolean;
  indented: boolean;
  comment: boolean;
  /** Whether the last character was a `}` that closed something. */
  afterBrace: boolean;
}

function newLine(afterBlank: boolean, afterComment: boolean, minified: boolean): Line {
  return { afterBlank, afterComment, minified, blank: true, indented: false, comment: false, afterBrace: false };
}

function lineLength(characters: readonly string[], start: number): number {
  const end = characters.indexOf('\n', start);
  return (end < 0 ? characters.length : end) - start;
}

function levelOfLine(first: string, role: number, { indented, afterBlank, afterComment }: Line): number {
  if (role === Role.string) return CodeLevel.none;
  if (role === Role.comment) return CodeLevel.fallback;
  if (indented || afterComment || first === '{') return CodeLevel.line;
  return afterBlank ? CodeLevel.block : CodeLevel.statement;
}

/** The places of opening brackets that nothing closes, found from the end for each kind. */
function unmatchedOpeners(characters: readonly string[], roles: Uint8Array): Set<number> {
  const unmatched = new Set<number>();
  const closers = [0, 0, 0];
  for (let at = characters.length - 1; at >= 0; at--) {
    if (roles[at] !== Role.code) continue;
    const closer = CLOSERS.indexOf(characters[at]!);
    if (closer >= 0) closers[closer]! += 1;
    const opener = OPENERS.indexOf(characters[at]!);
    if (opener < 0) continue;
    if (closers[opener] === 0) unmatched.add(at);
    else closers[opener]! -= 1;
  }
  return unmatched;
}
