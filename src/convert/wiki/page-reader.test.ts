import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DUMP_HEAD, dumpXml, pageXml } from '../../testkit/wiki/dump.ts';
import { PageReader } from './page-reader.ts';
import type { WikiPage } from './page.ts';

const PAGES = [{ title: 'A & <b>', text: "text of ''a'' &lt;" }, {
  title: 'B',
  redirect: 'A & <b>',
  text: '#REDIRECT [[A]]',
}, { title: 'Modul:C', ns: 828, model: 'Scribunto', text: 'return 1' }];

function read(xml: string, step = xml.length): WikiPage[] {
  const reader = new PageReader();
  const pages: WikiPage[] = [];
  for (let i = 0; i < xml.length; i += step) pages.push(...reader.read(xml.slice(i, i + step)));
  return [...pages, ...reader.end()];
}

describe('the pages of an export', () => {
  const xml = dumpXml(PAGES);

  it('are the same wherever the XML is cut', () => {
    const pages = read(xml);
    expect(pages).toMatchObject(PAGES.map(({ title, text, ns = 0, redirect, model = 'wikitext' }, i) => (
      {
        title,
        ns,
        id: String(i + 1),
        redirect,
        revision: {
          id: String((i + 1) * 10),
          timestamp: '2024-01-02T03:04:05Z',
          contributor: 'Ada',
          model,
          text,
          isTooLong: false,
        },
      }
    )));
    fc.assert(fc.property(fc.integer({ min: 1, max: 300 }), (step) => {
      expect(read(xml, step)).toEqual(pages);
    }), { numRuns: 40 });
  });

  it('have the namespaces of their wiki', () => {
    const reader = new PageReader();
    reader.read(DUMP_HEAD);
    expect([reader.site.namespaces.get('datei'), reader.site.namespaces.get('file'),
      reader.site.namespaces.get('kategorie')]).toEqual([6, 6, 14]);
  });

  it('have the last of several revisions, and what was hidden is empty', () => {
    const page = `<page><title>T</title><ns>0</ns><id>5</id>
      <revision><id>1</id><contributor><username>A</username><id>9</id></contributor><text>one</text></revision>
      <revision><id>2</id><contributor><ip>192.0.2.1</ip></contributor><text><![CDATA[two <x>]]></text></revision></page>
      <page><title>U</title><ns>0</ns><id>6</id><revision><id>3</id><contributor deleted="deleted" /><text deleted="deleted" /></revision></page>`;
    expect(read(`${DUMP_HEAD}${page}</mediawiki>`)).toMatchObject([{
      id: '5',
      revision: { id: '2', contributor: '192.0.2.1', text: 'two <x>' },
    }, { id: '6', revision: { id: '3', contributor: '', text: '' } }]);
  });

  it('leave out a text that is too long, and refuse what does not end', () => {
    const long = 'x'.repeat(1_000_000);
    const reader = new PageReader();
    const [start, end] = pageXml({ title: 'T', text: '@' }).split('@') as [string, string];
    reader.read(DUMP_HEAD + start);
    for (let i = 0; i < 9; i++) reader.read(long);
    expect(reader.read(end)).toMatchObject([{ title: 'T', revision: { text: '', isTooLong: true } }]);
    reader.read('<page><!--');
    expect(() => {
      for (let i = 0; i < 50; i++) reader.read(long);
    }).toThrow('without a tag');
  });

  it.each(['<mediawiki><page></mediawiki>', '<mediawiki>&#0;</mediawiki>', '<mediawiki a="1" a="2"/>',
    '<?xml version="1.1"?><x/>', '<mediawiki>\u0001</mediawiki>', 'x', '<mediawiki/><page/>'])('refuses %j',
      (wrong) => {
        expect(() => read(wrong)).toThrow(/^the XML is wrong|^expected the export/);
      });
});
