import { charsetOf, decodeText } from '../charset.ts';
import type { Parts, ReadOptions } from '../contract.ts';
import { OutputBudget } from '../limits.ts';
import { metaOf } from '../meta.ts';
import { type Block, firstHeading, rootOf } from '../tree/blocks.ts';
import { Macros } from './macros.ts';
import { type LatexContext, LatexReader } from './reader.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  english: 'en',
  american: 'en-US',
  usenglish: 'en-US',
  british: 'en-GB',
  ukenglish: 'en-GB',
  german: 'de',
  ngerman: 'de',
  austrian: 'de-AT',
  naustrian: 'de-AT',
  french: 'fr',
  francais: 'fr',
  spanish: 'es',
  italian: 'it',
  portuguese: 'pt',
  brazilian: 'pt-BR',
  brazil: 'pt-BR',
  dutch: 'nl',
  polish: 'pl',
  czech: 'cs',
  slovak: 'sk',
  russian: 'ru',
  ukrainian: 'uk',
  swedish: 'sv',
  danish: 'da',
  norsk: 'no',
  finnish: 'fi',
  hungarian: 'hu',
  greek: 'el',
  turkish: 'tr',
  japanese: 'ja',
  arabic: 'ar',
  hebrew: 'he',
  romanian: 'ro',
  catalan: 'ca',
};
const BEGIN = '\\begin{document}';
/** Limit on the expansion of a document's definitions, as a multiple of its length. */
const EXPANSION = 20;

/**
 * A LaTeX document as a tree: sections, lists, tables, code, notes and links; formulas stay LaTeX between dollars.
 * Macros that the document defines are expanded up to a limit. Unknown macros of packages are left out, but the text in
 * braces after them is kept. Files that it includes are not read.
 * @throws ConversionError `too_deep`, `too_large`
 */
export function readLatex(bytes: Uint8Array, options: ReadOptions): Parts {
  const { text, repaired, warnings } = decodeText(bytes,
    charsetOf(options.contentType) ??
      /\\usepackage\[([\w-]{1,20})\]\{inputenc\}/.exec(
        Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 20_000)).toString('latin1'),
      )?.[1]);
  const source = text.replace(/\r\n?/g, '\n');
  const start = bodyStart(source);
  const end = source.lastIndexOf('\\end{document}');
  const body = source.slice(start, end > start ? end : undefined);
  const context: LatexContext = {
    macros: new Macros(),
    notes: new Map(),
    said: {},
    included: new Set(),
    budget: new OutputBudget(options.maxOutput),
    slides: /\\begin\s?\{frame\}|\{beamer\}/.test(source),
    active: new Map(),
    left: new Set(),
    sectionDepth: /\\chapter\b/.test(body) ? 2 : 1,
    expansion: Math.min(options.maxOutput, 100_000 + EXPANSION * source.length),
    lists: 0,
  };
  // Only the definitions and the title of the preamble are read; it prints nothing else.
  const title = start === 0
    ? []
    : new LatexReader(source.slice(0, start - BEGIN.length), context).read().filter((block) =>
      block.kind === 'heading'
    );
  context.notes.clear();
  const blocks: Block[] = [...title, ...new LatexReader(body, context).read()];
  const { said } = context;
  return {
    content: rootOf(blocks, context.notes),
    meta: metaOf({
      title: said.title || firstHeading(blocks),
      author: said.author?.split(' ; ').map((author) => author.trim()),
      lang: LANGUAGES[said.language?.toLowerCase() ?? ''],
      created: said.date,
    }),
    warnings: [...warnings, ...namesWarning('Files that it includes were not read', context.included),
      ...namesWarning('Definitions without end were left as they are',
        [...context.left].map((name) =>
          `\\${name.replace(/^begin (.*)/, 'begin{$1}').replace(/^end (.*)/, 'end{$1}')}`
        ))],
    repaired,
  };
}

function namesWarning(what: string, names: Iterable<string>): string[] {
  const list = [...names];
  return list.length === 0 ? [] : [`${what}: ${list.slice(0, 10).join(', ')}${list.length > 10 ? ' and others' : ''}.`];
}

/** Position at which the body of a document begins, or 0 if it is not marked; text in comments does not count. */
function bodyStart(source: string): number {
  for (let at = source.indexOf(BEGIN); at >= 0; at = source.indexOf(BEGIN, at + 1)) {
    const comment = source.lastIndexOf('%', at);
    if (comment < 0 || source[comment - 1] === '\\' || source.lastIndexOf('\n', at) > comment) return at + BEGIN.length;
  }
  return 0;
}
