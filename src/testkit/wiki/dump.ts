/** A page of a made-up dump. */
export interface DumpPage {
  readonly title: string;
  readonly text?: string;
  readonly ns?: number;
  readonly id?: number;
  readonly redirect?: string;
  readonly model?: string;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const DUMP_HEAD = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo><sitename>Hafen</sitename><case>first-letter</case><namespaces>
    <namespace key="0" case="first-letter" /><namespace key="1" case="first-letter">Diskussion</namespace>
    <namespace key="6" case="first-letter">Datei</namespace><namespace key="14" case="first-letter">Kategorie</namespace>
  </namespaces></siteinfo>
`;

export const DUMP_END = '</mediawiki>\n';

/** A page as in exports; its id is its number from 1 unless specified. */
export function pageXml({ title, text = '', ns = 0, id, redirect, model = 'wikitext' }: DumpPage, index = 0): string {
  const number = id ?? index + 1;
  return `  <page><title>${escaped(title)}</title><ns>${ns}</ns><id>${number}</id>${
    redirect === undefined ? '' : `<redirect title="${escaped(redirect)}" />`
  }
    <revision><id>${
    number * 10
  }</id><timestamp>2024-01-02T03:04:05Z</timestamp><contributor><username>Ada</username><id>7</id></contributor>
      <model>${model}</model><format>text/x-wiki</format><text bytes="${
    Buffer.byteLength(text)
  }" xml:space="preserve">${escaped(text)}</text></revision></page>
`;
}

export function dumpXml(pages: readonly DumpPage[]): string {
  return DUMP_HEAD + pages.map(pageXml).join('') + DUMP_END;
}
