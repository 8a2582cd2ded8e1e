import type { Root } from 'hast';
import type { ConvertedMeta } from '../contract.ts';
import { metaOf } from '../meta.ts';
import { attribute, byName, findAll, rawText } from './parse.ts';

/** Names of `<meta>` for each key, the most specific first: of Open Graph, Dublin Core and HTML itself. */
const NAMES = {
  title: ['og:title', 'dc.title', 'dcterms.title'],
  author: ['author', 'article:author', 'dc.creator', 'dcterms.creator', 'citation_author', 'parsely-author'],
  created: ['article:published_time', 'datepublished', 'dcterms.created', 'dcterms.issued', 'dc.date', 'date',
    'citation_publication_date'],
  modified: ['article:modified_time', 'og:updated_time', 'datemodified', 'dcterms.modified', 'last-modified'],
  lang: ['content-language', 'dc.language', 'dcterms.language'],
};

/** The metadata in the head of a page. */
export function htmlMeta(root: Root): ConvertedMeta {
  const values = new Map<string, string[]>();
  for (const element of findAll(root, byName('meta'))) {
    const name =
      (attribute(element, 'name') ?? attribute(element, 'property') ?? attribute(element, 'itemProp') ??
        attribute(element, 'httpEquiv'))?.toLowerCase();
    const content = attribute(element, 'content')?.trim();
    if (name === undefined || !content) continue;
    const others = values.get(name);
    if (others === undefined) values.set(name, [content]);
    else others.push(content);
  }
  const said = (names: readonly string[]) =>
    names.map((name) => values.get(name)).find((found) => found !== undefined) ?? [];
  const html = findAll(root, byName('html'))[0];
  const title = findAll(root, byName('title'))[0];
  const heading = findAll(root, byName('h1'))[0];
  return metaOf({
    title: (title && rawText(title).trim()) || said(NAMES.title)[0] || (heading && rawText(heading)),
    // An author that is a URL is a profile, not a name.
    author: said(NAMES.author).filter((author) => !/^https?:/i.test(author)),
    lang: attribute(html, 'lang') ?? attribute(html, 'xmlLang') ?? said(NAMES.lang)[0],
    created: said(NAMES.created)[0],
    modified: said(NAMES.modified)[0],
  });
}
