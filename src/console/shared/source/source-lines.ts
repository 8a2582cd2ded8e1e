import type { Content } from 'prismjs/components/prism-core.js';
import { grammarOf } from './languages.ts';
import { Prism } from './prism.ts';

/** A part of a line, with the names of what it is in its language, the outermost first. */
export interface Piece {
  readonly text: string;
  readonly kinds: readonly string[];
}

/** Above this number of characters, reading a text by its grammar would take too long to wait for. */
const MOST_COLOURED = 300_000;

/** The lines of a text, in parts if its language is known. */
export function sourceLines(text: string, language: string): readonly (readonly Piece[])[] {
  const whole = text.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const grammar = whole.length > MOST_COLOURED ? undefined : grammarOf(language);
  const lines: Piece[][] = [[]];
  put(grammar === undefined ? whole : Prism.tokenize(whole, grammar), [], lines);
  return lines;
}

function put(content: Content, kinds: readonly string[], lines: Piece[][]): void {
  if (typeof content === 'string') putText(content, kinds, lines);
  else if ('type' in content) put(content.content, [...kinds, content.type], lines);
  else for (const each of content) put(each, kinds, lines);
}

function putText(content: string, kinds: readonly string[], lines: Piece[][]): void {
  for (const [index, text] of content.split('\n').entries()) {
    if (index > 0) lines.push([]);
    if (text !== '') lines.at(-1)!.push({ text, kinds });
  }
}
