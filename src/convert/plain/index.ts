import { splitFrontMatter } from '../../text/front-matter.ts';
import { charsetOf, decodeText } from '../charset.ts';
import type { FileFormat, Parts, ReadOptions } from '../contract.ts';

/** Text that stays unchanged except that its front matter becomes metadata. */
export function readText(bytes: Uint8Array, options: ReadOptions): Parts {
  const { text, repaired } = decodeText(bytes, charsetOf(options.contentType));
  const { meta, body, warnings } = splitFrontMatter(text);
  return { content: body, meta: { ...meta }, warnings, repaired };
}

/** Text in a fenced code block; the fence is longer than any fence in the text. */
export function readFenced(bytes: Uint8Array, format: FileFormat, options: ReadOptions): Parts {
  const { text, repaired } = decodeText(bytes, charsetOf(options.contentType));
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  const language = format === 'yml' ? 'yaml' : format;
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const body = lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).join('\n');
  return { content: `${fence}${language}\n${body}\n${fence}\n`, meta: {}, warnings: [], repaired };
}

function longestRun(text: string, character: string): number {
  let [longest, run] = [0, 0];
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    run = text[at - 1] === character ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
