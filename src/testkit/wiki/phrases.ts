/**
 * The phrases of wikitext outside templates, tables, references and tags with their own content, as sequences of words.
 * They are found by plain replacements, which share nothing with the converter.
 */
export function phrasesOf(wikitext: string,
  names: { readonly file: readonly string[]; readonly category: readonly string[] }): string[]
{
  let text = wikitext.replace(/<!--[\s\S]*?-->/g, '').replace(/<ref\b[^>]*\/>/gi, ' \n').replace(
    /<(ref|math|gallery|syntaxhighlight|source|nowiki|pre|timeline|score)\b[^>]*>[\s\S]*?<\/\1>/gi,
    ' \n',
  );
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/\{\{[^{}]*\}\}/g, '\n');
  }
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/\{\|(?:(?!\{\|)[\s\S])*?\n\s*\|\}/g, '\n');
  }
  // Of tables without an end, the attributes remain.
  text = text.replace(/^[:\s]*\{\|.*$/gm, '');
  const dropped = new RegExp(
    `\\[\\[\\s*(?:${
      [...names.file, ...names.category].join('|')
    })\\s*:[^\\[\\]]*(?:\\[\\[[^\\[\\]]*\\]\\][^\\[\\]]*)*\\]\\]`,
    'gi',
  );
  text = text.replace(dropped, '\n').replace(/\[\[[a-z-]{2,12}:[^\]|]*\]\]/g, '\n');
  text = text.replace(/\[\[(?:[^\]|[]*\|)?([^\]|[]*)\]\]/g, '$1').replace(/\[(?:https?:)?\/\/\S+ ([^\]]*)\]/g, '$1')
    .replace(/\[(?:https?:)?\/\/\S+\]/g, '\n').replace(/\w+:\/\/\S+/g, '\n');
  text = text.replace(/<[^>]*>/g, '\n').replace(/'{2,}/g, '').replace(/__[A-Z]+__/g, '\n').replace(/&[a-z#0-9]+;/gi,
    '\n');
  return text.split(/[\n*#:;=|{}[\]]/).map(wordsOf).filter((phrase) => phrase.includes(' '));
}

/** The words of a text, separated by a space. */
export function wordsOf(text: string): string {
  return (text.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}

/** The words of markdown as a reader sees them: without the targets of links and footnote markers. */
export function wordsOfMarkdown(markdown: string): string {
  return wordsOf(
    markdown.replace(/\[([^[\]]*)\]\([^()\s]*\)/g, '$1').replace(/\*/g, '').replace(/<https?:[^<>]*>/g, '\n').replace(
      /\[\^\d+\]/g,
      ' ',
    ).replace(/<\/?su[bp]>/g, '\n').replace(/\\\n/g, '\n').replace(/\\/g, ''),
  );
}
