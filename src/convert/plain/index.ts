import { splitFrontMatter } from '../../text/front-matter.ts';
import { charsetOf, decodeText } from '../charset.ts';
import type { FileFormat, Parts, ReadOptions } from '../contract.ts';

/** Text that stays unchanged except that its front matter becomes metadata. */
export function readText(bytes: Uint8Array, options: Partial<Pick<ReadOptions, 'contentType'>>): Parts & {
  readonly content: string;
} {
  const { text, repaired, warnings } = decodeText(bytes, charsetOf(options.contentType));
  const { meta, body, warnings: ofMatter } = splitFrontMatter(text);
  return { content: body, meta: { ...meta }, warnings: [...warnings, ...ofMatter], repaired };
}

/** Colours, cursor movements and titles of terminals (ECMA-48: CSI, OSC, two-byte sequences). */
const TERMINAL =
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|\u001b[ -/]{0,2}[0-~]/g;

/**
 * Text in a fenced code block; the fence is longer than any fence in the text. Logs are without what only a terminal
 * understands, so that a search finds their words.
 */
export function readFenced(bytes: Uint8Array, format: FileFormat, options: ReadOptions): Parts {
  const decoded = decodeText(bytes, charsetOf(options.contentType));
  const { repaired, warnings } = decoded;
  const text = format === 'log' ? decoded.text.replace(TERMINAL, '') : decoded.text;
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  const language = format === 'yml' ? 'yaml' : format;
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const body = lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).join('\n');
  return { content: `${fence}${language}\n${body}\n${fence}\n`, meta: {}, warnings, repaired };
}

function longestRun(text: string, character: string): number {
  let [longest, run] = [0, 0];
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    run = text[at - 1] === character ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
