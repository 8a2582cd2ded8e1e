import { resolveModule } from './resolve-path.ts';
import { LineCounter, type Piece, type SymbolSets } from './symbol-set.ts';

const NAME = String.raw`([\p{ID_Start}$_][\p{ID_Continue}$]*)`;
/** Positions where a statement can start, so that words in comments and strings are rarely mistaken for code. */
const START = String.raw`(?:^|[;{}])\s{0,80}(?:export\s{1,8})?(?:default\s{1,8})?(?:declare\s{1,8})?`;
const FUNCTION_VALUE = String
  .raw`(?:async\s{1,8})?(?:function\b|class\b|\([^()\n]{0,400}\)\s{0,8}(?::[^=\n]{0,200})?=>|[\p{ID_Start}$_][\p{ID_Continue}$]{0,80}\s{0,8}=>)`;

/** Every repetition is bounded, so the time is bounded for every source. */
const DECLARATIONS: readonly RegExp[] = [
  new RegExp(String.raw`${START}(?:async\s{1,8})?function\s{0,8}\*?\s{0,8}${NAME}`, 'gmu'),
  new RegExp(String.raw`${START}(?:abstract\s{1,8})?class\s{1,8}${NAME}`, 'gmu'),
  new RegExp(
    String.raw`${START}(?:const|let|var)\s{1,8}${NAME}(?:\s{0,8}:[^=\n]{0,200})?\s{0,8}=\s{0,8}${FUNCTION_VALUE}`,
    'gmu',
  ),
];
const SPECIFIERS = /\b(?:from|import|require\s{0,8}\(|import\s{0,8}\()\s{0,8}(["'`])([^"'`\n\\$]{1,1024})\1/g;

/** Scans a script that has no syntax tree for text that looks like declarations and imports. */
export function scanScript(piece: Piece, symbols: SymbolSets): void {
  for (const pattern of DECLARATIONS) {
    const lines = new LineCounter(piece);
    for (const match of piece.source.matchAll(pattern)) {
      symbols.defines.add(match[1], lines.at(match.index + match[0].lastIndexOf(match[1]!)));
    }
  }
  const lines = new LineCounter(piece);
  for (const match of piece.source.matchAll(SPECIFIERS)) {
    symbols.imports.add(resolveModule(match[2]!, piece.path), lines.at(match.index));
  }
}
