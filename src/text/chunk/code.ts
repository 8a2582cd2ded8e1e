import { Role, rolesOf } from './lexer.ts';
import { lexicalProfile } from './lexical-profile.ts';
import { charactersOf, type Chunk, isSpace, pack } from './pack.ts';

/** The level of a cut before a character: higher is better. */
const CodeLevel = { none: 0, fallback: 1, line: 2, statement: 3, block: 4 } as const;

const OPENERS = '([{';
const CLOSERS = ')]}';

/**
 * Divides source code into chunks for embeddings (contract, "Code documents"): only where `{}`, `()` and `[]` are
 * balanced, ignoring those in strings and comments. It prefers blank lines between constructs that begin at the margin,
 * then lines that begin there, then other lines, and finally the lines of a comment and, in a (minified) line of more
 * than `budget` characters, the position after a `}`. A construct of more than `budget` characters is not divided. See
 * `pack` for the definition of a chunk. This is the reference; `chunkCode` of the kernels returns the same.
 *
 * Brackets without a counterpart are ignored, so that the rest of a file with a missing bracket is still divided.
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
  /** Whether the previous line contains only whitespace. */
  readonly afterBlank: boolean;
  /** Whether the previous line starts in a comment, which belongs to the following code. */
  readonly afterComment: boolean;
  readonly minified: boolean;
  blank: boolean;
  indented: boolean;
  comment: boolean;
  /** Whether the last character was a `}` that closes a bracket. */
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

/** The positions of opening brackets that are never closed, found from the end for each kind. */
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
