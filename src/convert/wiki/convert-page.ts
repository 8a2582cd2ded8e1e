import type { WikiPage } from './page.ts';
import type { Site } from './site.ts';
import { codeBlock, escapeText, linkTarget } from './wikitext/escape.ts';
import { wikitextToMarkdown } from './wikitext/index.ts';

/** A wiki page as a document. */
export interface WikiDocument {
  /** Its title as in the wiki's own addresses: with `_` for spaces, the form in which links to it are written. */
  readonly key: string;
  readonly contentMd: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  /** Key of the page to which it redirects. */
  readonly redirect?: string;
  /** Why it has no content. */
  readonly problem?: string;
}

const MOST_FIELDS = 64;

/** Converts a page to markdown under its title, with metadata from the dump and its infoboxes. */
export function convertPage(page: WikiPage, site: Site): WikiDocument {
  const { title, revision } = page;
  const text = revision?.text ?? '';
  const byText = isWikitext(revision?.model) ? redirectOf(text) : undefined;
  const target = page.redirect === undefined ? byText?.target : page.redirect || byText?.target;
  const { contentMd, categories, infobox } = contentOf(page, byText?.rest ?? text, site, target);
  const meta: Record<string, readonly string[]> = {
    source: ['wikipedia'],
    wiki_id: [page.id],
    wiki_title: [title],
    wiki_ns: [String(page.ns)],
    ...listed('wiki_rev_id', revision?.id),
    ...listed('wiki_timestamp', revision?.timestamp),
    ...listed('wiki_contributor', revision?.contributor),
    ...listed('wiki_redirect', target),
    ...(categories.length > 0 && { wiki_category: categories }),
  };
  for (const [field, value] of [...infobox].slice(0, MOST_FIELDS))
    meta[field === '' ? 'infobox' : `infobox_${field}`] = [value];
  return {
    key: keyOf(title),
    contentMd,
    meta,
    redirect: target === undefined ? undefined : keyOf(target.split('#', 1)[0]!),
    problem: revision?.isTooLong === true ? 'the text is longer than 8,000,000 characters' : undefined,
  };
}

/** In titles a space is equivalent to `_`; neither titles nor keys can contain `|`. */
export function keyOf(title: string): string {
  return title.trim().replaceAll(' ', '_');
}

function contentOf({ title, revision }: WikiPage, text: string, site: Site,
  target: string | undefined
): { contentMd: string; categories: readonly string[]; infobox: ReadonlyMap<string, string> } {
  const heading = `# ${escapeText(title)}`;
  const none = { categories: [], infobox: new Map<string, string>() };
  if (!isWikitext(revision?.model))
    return { contentMd: `${heading}\n\n${codeBlock(text, LANGUAGES.get(revision!.model.toLowerCase()))}`, ...none };
  const page = wikitextToMarkdown(text, title, site);
  const leads = target === undefined ? [] : [`Redirect to [${escapeText(target)}](${linkTarget(target)}).`];
  return { ...page, contentMd: [heading, ...leads, ...(page.contentMd === '' ? [] : [page.contentMd])].join('\n\n') };
}

/** Exports before version 0.6 name no model. */
const isWikitext = (model: string | undefined): boolean => model === undefined || model === '' || model === 'wikitext';

const LANGUAGES = new Map([['scribunto', 'lua'], ['css', 'css'], ['sanitized-css', 'css'], ['javascript', 'js'], [
  'json',
  'json',
], ['jsonconfig', 'json']]);

function listed(name: string, value: string | undefined): Record<string, readonly string[]> {
  return value === undefined || value === '' ? {} : { [name]: [value] };
}

/** The keyword for a redirect in the languages with the most pages; every wiki also accepts the English one. */
const WORDS = ['redirect', 'weiterleitung', 'redirection', 'redirección', 'redireccion', 'rinvia', 'redirecionamento',
  'doorverwijzing', 'patrz', 'przekieruj', 'tam', 'перенаправление', 'перенапр', 'перенаправлення', '転送',
  'リダイレクト', '重定向', 'تحويل', 'הפניה', 'omdirigering', 'omdiriger', 'omdirigér', 'ohjaus', 'uudelleenohjaus',
  'yönlendirme', 'yönlendi̇rme', '넘겨주기', 'đổi', 'alih', 'přesměruj', 'átirányítás', 'redirectare', 'przekierowanie',
  'ανακατευθυνση', 'birzuzendu', 'redirecció', 'ümbersuunamine', 'saadaa', 'suuna', 'peradresavimas', 'pārvirzīt',
  'tilvísun'];

const REDIRECT = new RegExp(
  `^\\s{0,50}#(?:${WORDS.join('|')})\\s{0,20}:?\\s{0,20}\\[\\[([^\\[\\]|\\n]{1,600})(?:\\|[^\\]\\n]{0,600})?\\]\\]`,
  'iu',
);

/** The page to which wikitext redirects, and the text after it; undefined if it is not a redirect. */
export function redirectOf(wikitext: string): { target: string; rest: string } | undefined {
  const match = REDIRECT.exec(wikitext.slice(0, 2000));
  return match === null
    ? undefined
    : { target: match[1]!.trim().replace(/^:/, ''), rest: wikitext.slice(match[0].length) };
}
