import { expect, it } from 'vitest';
import { fault, markdown, odt } from '../test-fixture.ts';

const style = (name: string, properties: string, family = 'text') =>
  `<style:style style:name="${name}" style:family="${family}"><style:text-properties ${properties}/></style:style>`;
const span = (text: string, name: string) => `<text:span text:style-name="${name}">${text}</text:span>`;
const p = (text: string, name = '') => `<text:p text:style-name="${name}">${text}</text:p>`;
const md = async (text: string, styles = '', parts = {}) => markdown(await odt(text, styles, parts), 'a.odt');
const MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>r</mi><mn>2</mn></msup></math>';

it('keeps superscripts, symbols and code apart from the text around them', async () => {
  const styles = style('T1', 'style:text-position="super 58%"') + style('T2', 'style:text-position="-33% 58%"') +
    style('T3', 'style:font-name="Wingdings"') + style('P1', 'style:font-name="Liberation Mono"', 'paragraph');
  expect(await md(p(`10${span('6', 'T1')} H${span('2', 'T2')}O ${span('\uf0fe', 'T3')}`), styles)).toBe('10⁶ H₂O ☒');
  expect(await md(p('Run:') + p('if x:', 'P1') + p('<text:s text:c="4"/>go(x)', 'P1') + p('End'), styles)).toBe(
    'Run:\n\n```\nif x:\n    go(x)\n```\n\nEnd',
  );
});

it('keeps descriptions of pictures apart from words', async () => {
  const frame =
    '<draw:frame><draw:image xlink:href="a.png"><text:p/></draw:image><svg:desc>A\n tower</svg:desc></draw:frame>';
  expect(await md(p(`shows${frame}in`) + `<draw:g>${frame}</draw:g>`)).toBe('shows ![A tower]() in\n\n![A tower]()');
});

it('keeps formulas apart from words', async () => {
  const formula = `<draw:frame><draw:object>${MATH}</draw:object></draw:frame>`;
  const line = `<text:p>If${formula}and ${formula}${formula}, (${formula}).</text:p>`;
  expect((await markdown(await odt(line), 'a.odt')).trim()).toBe('If $r^2$ and $r^2$ $r^2$, ($r^2$).');
});

it('reads formulas and charts', async () => {
  const object = (path: string) => `<draw:frame><draw:object xlink:href="./${path}"/></draw:frame>`;
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const chart = '<office:document-content><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p>' +
    `</chart:title><table:table><table:table-row>${cell('')}${cell('North')}</table:table-row><table:table-row>${
      cell('2020')
    }${cell(`5${object('Chart')}`)}</table:table-row></table:table></chart:chart></office:chart></office:body>` +
    '</office:document-content>';
  const text = p(`area ${object('Object 1')}.`) + p(object('Chart'));
  expect(await md(text, '', { 'Object 1/content.xml': MATH, 'Chart/content.xml': chart })).toBe(
    'area $r^2$.\n\nSales\n\n| | North |\n| - | - |\n| 2020 | 5 |',
  );
  expect(await md(p(`<draw:frame><draw:object>${MATH}</draw:object></draw:frame>`))).toBe('$r^2$');
});

it('reads what was entered into forms, and leaves out prompts', async () => {
  const forms = '<office:forms><form:form><form:checkbox xml:id="c1" form:label="News" form:current-state="checked"/>' +
    '<form:text form:id="c2" form:current-value="Ada"/><form:listbox xml:id="c3"><form:option form:label="Oslo"/>' +
    '<form:option form:label="Bergen" form:current-selected="true"/></form:listbox></form:form></office:forms>';
  const control = (id: string) => `<draw:control draw:control="${id}"/>`;
  const mark = '<field:fieldmark field:type="vnd.oasis.opendocument.field.FORMCHECKBOX"><field:param ' +
    'field:name="Checkbox_Checked" field:value="true"/></field:fieldmark>';
  expect(
    await md(
      `${forms}${p(['c1', 'c2', 'c3'].map(control).join(' '))}${
        p(`${mark} yes <text:placeholder>name</text:placeholder><loext:content-control loext:showing-place-holder="true">Click` +
          '</loext:content-control>')
      }`,
    ),
  ).toBe('☒ News Ada Bergen\n\n☒ yes');
});

it('keeps bibliographies, and leaves out other indexes', async () => {
  const index = (name: string, text: string) =>
    `<text:${name}><text:index-body><text:index-title>${p('Title')}</text:index-title>${
      p(text)
    }</text:index-body></text:${name}>`;
  expect(await md(index('table-of-content', 'One 1') + index('bibliography', 'A. Hill, On Rivers'))).toBe(
    'Title\n\nA. Hill, On Rivers',
  );
});

it('ends where objects and drawings hold themselves', async () => {
  const frame = '<draw:frame><draw:object xlink:href="./O"/></draw:frame>';
  const inner =
    `<office:document-content><office:body><office:spreadsheet><table:table><table:table-row><table:table-cell>${
      p(frame)
    }</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
  expect(await fault(await odt(p('x') + p(frame) + frame, '', { 'O/content.xml': inner }), 'a.odt')).toBe('none');
});
