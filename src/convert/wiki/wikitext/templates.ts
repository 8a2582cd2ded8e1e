import type { PageContext } from './context.ts';
import { type Argument, Fields } from './frames.ts';
import { convertedMeasure } from './measures.ts';
import { QUOTE, UNQUOTE } from './writer.ts';

type Rule = (fields: Fields, context: PageContext, name: string) => string;

/**
 * The text of a template, as wikitext. A dump has no means to execute templates: the text of those that carry text is
 * kept, fields of infoboxes are stored separately, and the other templates are dropped.
 */
export function expandTemplate(given: string, args: readonly Argument[], context: PageContext): string {
  const trimmed = given.trim();
  const colon = trimmed.indexOf(':');
  if (colon > 0) {
    const called = call(trimmed.slice(0, colon).toLowerCase(), trimmed.slice(colon + 1).trim(), args, context);
    if (called !== undefined) return called;
  }
  const name = (colon > 0 && namesTemplate(trimmed.slice(0, colon)) ? trimmed.slice(colon + 1) : trimmed).trim()
    .replaceAll('_', ' ').toLowerCase();
  if (name.length > MAX_NAME) return '';
  const fields = new Fields(args);
  const rule = RULES[name];
  if (rule !== undefined) return rule(fields, context, name);
  for (const [pattern, apply] of FAMILIES) if (pattern.test(name)) return apply(fields, context, name);
  return looksLikeInfobox(fields, context) ? infobox(fields, context, name) : likelyText(fields);
}

const MAX_NAME = 200;

const namesTemplate = (prefix: string): boolean => /^(?:template|subst|safesubst|msg)$/i.test(prefix.trim());

/** Parser functions; only those that choose between texts are supported. */
function call(name: string, first: string, args: readonly Argument[], context: PageContext): string | undefined {
  const text = (i: number): string => {
    const arg = args[i];
    return arg === undefined ? '' : (arg.name === undefined ? arg.value : `${arg.name}=${arg.value}`).trim();
  };
  switch (name) {
    case '#if':
      return first === '' ? text(1) : text(0);
    case '#ifeq':
      return first === text(0) ? text(1) : text(2);
    case '#ifexist':
    case '#iferror':
      return name === '#iferror' ? first : text(0);
    case '#switch':
      return switched(first, args);
    case 'lc':
      return first.toLowerCase();
    case 'uc':
      return first.toUpperCase();
    case 'lcfirst':
      return first.slice(0, 1).toLowerCase() + first.slice(1);
    case 'ucfirst':
      return first.slice(0, 1).toUpperCase() + first.slice(1);
    case 'formatnum':
    case '#formatdate':
      return first;
    case '#tag':
      return first.toLowerCase() === 'ref' ? noted(new Fields(args), context, name) : text(0);
    default:
      return name.startsWith('#') || DROPPED_CALLS.has(name) ? '' : undefined;
  }
}

const DROPPED_CALLS = new Set(['defaultsort', 'displaytitle', 'defaultcategorysort', 'fullurl', 'localurl', 'urlencode',
  'anchorencode', 'ns', 'int', 'plural', 'grammar', 'gender', 'padleft', 'padright', 'filepath']);

function switched(value: string, args: readonly Argument[]): string {
  let falls = false;
  for (const { name, value: text } of args) {
    if (name === undefined) falls ||= text.trim() === value;
    else if (falls || name === value) return text;
  }
  const last = args.at(-1);
  return args.find(({ name }) => name === '#default')?.value ??
    (last !== undefined && last.name === undefined ? last.value.trim() : '');
}

/** In other languages infoboxes have other names, but they also come first and have many fields. */
function looksLikeInfobox({ positional, named }: Fields, { infobox: found, notes }: PageContext): boolean {
  return named.size >= 6 && positional.every((text) => text.trim() === '') && found.size === 0 && notes.length < 50;
}

/** A template that wraps a sentence formats it; the sentence is kept even if the template is unknown. */
function likelyText({ positional, named }: Fields): string {
  const [only] = positional;
  const isSentence = positional.length === 1 && named.size <= 1 && only !== undefined && only.trim().length >= 40 &&
    only.trim().includes(' ');
  return isSentence ? only : '';
}

const nothing: Rule = () => '';
const firstOne: Rule = (fields) => fields.at(0);
const secondOne: Rule = (fields) => fields.at(1) || fields.first('text') || fields.at(0);
const lastOne: Rule = ({ positional }) => positional.at(-1)?.trim() ?? '';
const listed: Rule = ({ positional }) =>
  `\n${positional.filter((item) => item.trim() !== '').map((item) => `* ${item.trim()}`).join('\n')}\n`;
const block: Rule = (fields) => `\n${fields.positional.join('\n').trim() || fields.first('content', 'text')}\n`;
const noted: Rule = (fields, context) =>
  context.note(fields.first('name') === '' ? '' : `\n${fields.first('name')}`, fields.at(0));
const hatnote = (words: string): Rule => ({ positional }) => {
  const pages = positional.map((page) => page.trim()).filter((page) => page !== '');
  return pages.length === 0 ? '' : `\n''${words} ${pages.map((page) => `[[:${page}]]`).join(', ')}''\n`;
};

const quoted: Rule = (fields) => {
  const text = fields.first('text', 'quote', 'content') || fields.at(0);
  const source = [fields.first('author', 'sign', 'by') || fields.at(1), fields.first('title', 'source') || fields.at(2)]
    .filter((part) => part !== '').join(', ');
  return `\n${QUOTE}\n${text}${source === '' ? '' : `\n\n— ${source}`}\n${UNQUOTE}\n`;
};

/** A date in ISO 8601, with the parts that are given. */
const day: Rule = ({ positional }) => {
  const numbers = positional.map((part) => part.trim()).filter((part) => /^-?\d{1,4}$/.test(part)).slice(0, 3);
  if (numbers.length === 0) return positional[0]?.trim() ?? '';
  return numbers.map((number, i) => (i === 0 ? number : number.padStart(2, '0'))).join('-');
};
const coordinates: Rule = ({ positional, named }) => {
  if (/^(?:t|title|it)/.test(named.get('display') ?? 'inline') && !/inline/.test(named.get('display') ?? '')) return '';
  const given = positional.map((part) => part.trim()).filter((part) =>
    /^(?:-?\d{1,3}(?:\.\d{1,10})?|[NSEW])$/.test(part)
  ).slice(0, 8);
  return given.length === 2 ? given.join(', ') : given.join(' ');
};
const harvard: Rule = (fields, context) => {
  const page = fields.first('p', 'page', 'pp', 'pages', 'loc');
  return context.note('',
    `${fields.positional.map((part) => part.trim()).join(' ')}${page === '' ? '' : `, p. ${page}`}`);
};

const infobox: Rule = ({ named, positional }, { infobox: found }, name) => {
  const kind = name.replace(/^infobox|infobox$/, '').trim();
  if (kind !== '' && !found.has('')) found.set('', kind);
  for (const [field, value] of named)
    if (value.trim() !== '' && found.size < MAX_FIELDS && !found.has(field)) found.set(field, value);
  return positional.find((text) => text.trim().length >= 40) ?? '';
};

const MAX_FIELDS = 100;

const group = (rule: Rule, ...names: readonly string[]): [string, Rule][] => names.map((name) => [name, rule]);

const RULES: Readonly<Record<string, Rule>> = Object.assign(Object.create(null) as Record<string, Rule>,
  Object.fromEntries([...group(() => '|', '!'), ...group(() => '||', '!!'), ...group(() => '=', '='),
    ...group(() => '{', '('), ...group(() => '}', ')'), ...group(() => '{{', '(('), ...group(() => '}}', '))'),
    ...group(() => '{|', '(!'), ...group(() => '|}', '!)'), ...group(() => '|-', '!-'), ...group(() => '[', '!('),
    ...group(() => ']', ')!'), ...group(() => '–', 'ndash', 'en dash', 'snd', 'spnd'),
    ...group(() => '—', 'mdash', 'em dash', 'spmd'), ...group(() => ' ', 'spaces', 'nbsp', 'space', 'thinsp'),
    ...group(() => ' · ', '·', 'dot', '•', 'bull', 'middot'),
    ...group((_, { title }) => title, 'pagename', 'fullpagename', 'basepagename'),
    ...group(() => '<br>', 'break', 'br', 'crlf'),
    ...group(secondOne, 'lang', 'rtl-lang', 'langx', 'language', 'langue', 'transl', 'transliteration', 'script',
      'unicode', 'font color', 'color', 'colored link', 'hover title', 'ill', 'interlanguage link'),
    ...group(lastOne, 'wikt-lang', 'zh'), ...group((fields) => convertedMeasure(fields, false), 'convert', 'conv'),
    ...group((fields) => convertedMeasure(fields, true), 'cvt'),
    ...group(hatnote('Main article:'), 'main', 'main article', 'hauptartikel'),
    ...group(hatnote('See also:'), 'see also', 'see', 'also'),
    ...group(hatnote('Further information:'), 'further', 'further information'),
    ...group(hatnote('Details:'), 'details', 'detail'),
    ...group(({ positional }) => `\n''${positional.join(' ').trim()}''\n`, 'hatnote', 'dablink', 'rellink'),
    ...group(quoted, 'quote', 'blockquote', 'cquote', 'quotation', 'quote box', 'quote frame', 'block quote', 'rquote',
      'bquote', 'centered pull quote', 'zitat', 'citation bloc'),
    ...group((fields) => citation(fields), 'citation', 'literatur', 'internetquelle', 'ouvrage', 'lien web', 'article',
      'cita web', 'cita libro', 'книга', 'статья'),
    ...group(day, 'birth date', 'birth date and age', 'bda', 'dob', 'birth-date', 'birth year and age', 'death date',
      'death date and age', 'death year and age', 'dda', 'start date', 'start date and age', 'end date',
      'end date and age', 'film date', 'date', 'dts', 'release date', 'start-date', 'date de naissance',
      'date de décès', 'fecha'),
    ...group((fields) => `c. ${fields.positional.join(' – ').trim()}`.trim(), 'circa', 'c.', 'ca', 'approx'),
    ...group((fields) => `As of ${day(fields, undefined as never, '')}`, 'as of'),
    ...group((fields) => `r. ${fields.positional.join('–')}`, 'reign', 'r.'),
    ...group(firstOne, 'nowrap', 'nobr', 'nobreak', 'j', 'small', 'smaller', 'big', 'larger', 'large', 'abbr',
      'abbrlink', 'tooltip', 'h:title', 'em', 'strong', 'varserif', 'noitalic', 'normal', 'nobold', 'math', 'mvar',
      'angbr', 'ipa', 'audio-ipa', 'respell', 'flag', 'flagu', 'flagcountry', 'flagathlete', 'fb', 'resize', 'uc',
      'midsize', 'val', 'text', 'bibleverse', 'url', 'official website', 'official', 'align', 'tl', 'template link',
      'white', 'no wrap', 'sc', 'smallcaps', 'pad', 'visible anchor', 'vanchor', 'underline', 'not a typo', 'sic',
      'as written', 'chem', 'chem2', 'music', 'gli', 'glossary link', 'term', 'ship', 'hms', 'uss', 'center', 'centre',
      'right', 'left', 'citar'), ...group((fields) => `'''${fields.at(0)}'''`, 'b', 'bold'),
    ...group((fields) => `''${fields.at(0)}''`, 'i', 'italic', 'var'),
    ...group((fields) => `<code>${fields.at(0)}</code>`, 'code', 'mono', 'tt', 'kbd', 'samp', 'codett', 'para', 'key',
      'keypress'), ...group((fields) => `<sup>${fields.at(0)}</sup>`, 'sup', 'su', 'superscript'),
    ...group((fields) => `<sub>${fields.at(0)}</sub>`, 'sub', 'subscript'),
    ...group((fields) => fields.positional.map((part) => part.trim()).join('/'), 'frac', 'fraction', 'sfrac', 'tfrac'),
    ...group((fields) => `ISBN ${fields.at(0)}`, 'isbn'), ...group((fields) => `doi:${fields.at(0)}`, 'doi'),
    ...group((fields) => `OCLC ${fields.at(0)}`, 'oclc'),
    ...group((fields) => fields.positional.map((user) => `@${user.trim()}`).join(' '), 'ping', 'reply to', 're',
      'reply'), ...group((fields) => `[[User:${fields.at(0)}|${fields.at(0)}]]`, 'u', 'user', 'user link', 'ul'),
    ...group(block, 'plainlist', 'flatlist', 'columns-list', 'multicol', 'indented plainlist', 'poemquote',
      'verse translation'),
    ...group(listed, 'unbulleted list', 'ubl', 'ublist', 'hlist', 'bulleted list', 'blist', 'flat list',
      'collapsible list', 'unbulleted', 'cslist', 'ordered list', 'numbered list', 'comma separated entries'),
    ...group(noted, 'efn', 'refn', 'notetag', 'efn-ua', 'note', 'footnote'),
    ...group(harvard, 'sfn', 'sfnp', 'harvnb', 'harv', 'harvp', 'harvtxt', 'harvcoltxt', 'snf'),
    ...group((fields) => `${fields.at(0)}${fields.at(1) === '' ? '' : `(${fields.at(1)})`}`, 'ruby', 'furigana',
      'ruby-ja', 'ruby-zh-p', 'ruby-zh-b', 'ふりがな', '読み仮名', '読み仮名 ruby不使用'),
    ...group(coordinates, 'coord', 'coordinates'),
    ...group(
      (fields) => `\n[[File:${fields.first('image', 'file') || fields.at(0)}|thumb|${fields.first('caption')}]]\n`,
      'css image crop',
      'annotated image',
    ),
    ...group(
      (fields) =>
        fields.all('caption1', 'caption2', 'caption3', 'caption4', 'caption5', 'caption6', 'footer').map((text) =>
          `\n* ${text}`
        ).join('') + '\n',
      'multiple image',
      'double image',
    ),
    ...group(nothing, 'reflist', 'references', 'flagicon', 'flag icon', 'clear', 'clr', '-', 'citation needed', 'cn',
      'fact', 'toc', 'short description', 'notelist', 'authority control', 'portal', 'commons category', 'commonscat',
      'sister project links')]));

/** Names that share a beginning or an end. */
const FAMILIES: readonly (readonly [RegExp, Rule])[] = [[
  /^(?:infobox|taxobox|speciesbox|automatic taxobox|subspeciesbox|geobox|chembox|drugbox|ficha de|карточка)|infobox$/,
  infobox,
], [/^lang-[a-z]{2,3}/, firstOne], [/^ipac?-/, firstOne], [/^(?:cite |citation\/|cita |vcite |cite-)/,
  (fields) => citation(fields)], [/^quote /, quoted]];

/** Converts names of infobox fields to metadata keys. */
export function fieldKey(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '').slice(0, 60);
}

/** A cited source, in the order that readers expect: author (year). "Chapter". *Title*. Publisher. ISBN. Address. */
function citation(fields: Fields): string {
  const url = fields.first('url', 'chapter-url', 'archive-url');
  const title = fields.first('title', 'trans-title', 'encyclopedia', 'encyclopaedia');
  const inner = fields.first('chapter', 'article', 'contribution', 'entry');
  const work = fields.first('journal', 'work', 'website', 'newspaper', 'magazine', 'periodical', 'series');
  const named = title === '' ? '' : linked(`''${title}''`, inner === '' ? url : '');
  const parts = [[authors(fields), year(fields)].filter((part) => part !== '').join(' '),
    inner === '' ? '' : linked(`“${inner}”`, url), title === '' && url !== '' && inner === '' ? `[${url}]` : named,
    work === '' ? '' : `''${work}''`, numbers(fields), fields.all('location', 'publisher', 'agency').join(': '),
    prefixed('pp. ', fields.first('pages')) || prefixed('p. ', fields.first('page')) || fields.first('at'),
    prefixed('ISBN ', fields.first('isbn')), prefixed('ISSN ', fields.first('issn')),
    prefixed('doi:', fields.first('doi')), fields.first('quote') === '' ? '' : `“${fields.first('quote')}”`,
    ...fields.positional.filter((value) => value.trim() !== '')];
  return parts.filter((part) => part !== '').map((part) => (/[.?!]$/.test(part) ? part : `${part}.`)).join(' ');
}

function authors(fields: Fields): string {
  const names: string[] = [];
  for (let i = 1; i <= MOST_AUTHORS; i++) {
    const last = fields.first(
      ...(i === 1 ? ['last', 'last1', 'surname', 'surname1', 'author-last'] : [`last${i}`, `surname${i}`]),
    );
    const first = fields.first(...(i === 1 ? ['first', 'first1', 'given', 'given1'] : [`first${i}`, `given${i}`]));
    const whole = fields.first(...(i === 1 ? ['author', 'author1', 'authors', 'vauthors'] : [`author${i}`]));
    const name = last === '' ? whole : first === '' ? last : `${last}, ${first}`;
    if (name === '') break;
    names.push(name);
  }
  const editor = fields.first('editor', 'editors', 'editor-last');
  return names.length > 0 ? names.join('; ') : editor === '' ? '' : `${editor} (ed.)`;
}

const MOST_AUTHORS = 30;

function year(fields: Fields): string {
  const when = fields.first('date', 'year', 'publication-date');
  return when === '' ? '' : `(${when})`;
}

function numbers(fields: Fields): string {
  const issue = fields.first('issue', 'number');
  return [fields.first('edition') && `${fields.first('edition')} ed.`,
    fields.first('volume') + (issue === '' ? '' : `(${issue})`)].filter((part) => part !== '').join(', ');
}

function linked(text: string, url: string): string {
  return /^(?:https?|ftp):\/\/\S+$/.test(url) ? `[${url} ${text}]` : text;
}

function prefixed(prefix: string, text: string): string {
  return text === '' ? '' : prefix + text;
}
