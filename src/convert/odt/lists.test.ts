import { expect, it } from 'vitest';
import { markdown, odt } from '../test-fixture.ts';

const number = (level: number, attributes: string) =>
  `<text:list-level-style-number text:level="${level}" ${attributes}/>`;
const style = (name: string, ...levels: string[]) =>
  `<text:list-style style:name="${name}">${levels.join('')}</text:list-style>`;
const list = (content: string, attributes = 'text:style-name="L"') => `<text:list ${attributes}>${content}</text:list>`;
const item = (text: string, more = '', attributes = '') =>
  `<text:list-item ${attributes}>${text === '' ? '' : `<text:p>${text}</text:p>`}${more}</text:list-item>`;
const DECIMAL = style('L', number(1, 'style:num-format="1" style:num-suffix="."'));
const md = async (text: string, styles: string, parts = {}) => markdown(await odt(text, styles, parts), 'a.odt');

it('numbers headings by the outline of the document', async () => {
  const outline = '<office:document-styles><office:styles><text:outline-style>' +
    '<text:outline-level-style text:level="1" style:num-format="1"/>' +
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>' +
    '</text:outline-style></office:styles></office:document-styles>';
  const h = (text: string, level: number, more = '') =>
    `<text:h text:outline-level="${level}" ${more}>${text}</text:h>`;
  const none = '<style:style style:name="P9" style:family="paragraph" style:list-style-name=""/>';
  const text = h('One', 1) + h('Inner', 2) + h('Plain', 1, 'text:style-name="P9"') + h('Two', 1) + h('Inner', 2) +
    h('Head', 1, 'text:is-list-header="true"') +
    '<text:h text:outline-level="1"><text:number>IX</text:number>Own</text:h>';
  expect(await md(text, none, { 'styles.xml': outline })).toBe(
    '# 1 One\n\n## 1.1 Inner\n\n# Plain\n\n# 2 Two\n\n## 2.1 Inner\n\n# Head\n\n# IX Own',
  );
});

it('starts lists where they say, and continues lists by style and by name', async () => {
  const start = style('S', number(1, 'style:num-format="1" style:num-suffix="." text:start-value="4"'));
  const text = list(item('a') + item('b', '', 'text:start-value="7"'), 'text:style-name="S"') + '<text:p>x</text:p>' +
    list(item('c'), 'text:style-name="L" xml:id="first"') + '<text:p>x</text:p>' +
    list(item('d'), 'text:style-name="L" text:continue-numbering="true"') + '<text:p>x</text:p>' +
    list(item('e')) + '<text:p>x</text:p>' + list(item('f'), 'text:style-name="L" text:continue-list="first"');
  expect(await md(text, DECIMAL + start)).toBe('4. a\n\n7) b\n\nx\n\n1. c\n\nx\n\n2. d\n\nx\n\n1. e\n\nx\n\n3. f');
});

it('writes out clauses, in lists that go on inside items without text', async () => {
  const styles = style('L', number(1, 'style:num-format="1" style:num-suffix="."'),
    number(2, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")"'),
    number(3, 'style:num-format="i" style:num-suffix="." text:display-levels="2"'));
  const text = list(item('one', list(item('first') + item('second', list(item('inner')), ''), ''))) +
    list(item('', list(item('third'), '')), 'text:style-name="L" text:continue-numbering="true"') +
    list(item('two'), 'text:style-name="L" text:continue-numbering="true"');
  expect(await md(text, styles)).toBe(
    '1. one\n   - (a) first\n   - (b) second\n     - b.i. inner\n   - (c) third\n2. two',
  );
});

it('reads bullets that are boxes as a list of tasks', async () => {
  const bullet = (name: string, character: string) =>
    style(name, `<text:list-level-style-bullet text:level="1" text:bullet-char="${character}"/>`);
  expect(
    await md(list(item('open'), 'text:style-name="A"') + list(item('done'), 'text:style-name="B"'),
      bullet('A', '☐') + bullet('B', '☑')),
  ).toBe('- [ ] open\n- [x] done');
});
