import type { Fields } from './fields.ts';

/** A cited source, in the order that readers expect: author (year). "Chapter". *Title*. Publisher. ISBN. Address. */
export function citation(fields: Fields): string {
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
