import type { Element, ElementContent, Root } from 'hast';
import { attribute, byName, classes, findAll, isElement, rawText } from './parse.ts';

/** Classes of the numbers that programs write beside lines of code. */
const NUMBER =
  /^(?:linenos?|linenums?|line-?numbers?|line-number-cell|lineno|ln|ln-num|lnt|gutter|rouge-gutter|blob-num|hljs-ln-numbers|react-line-number|line-numbers-rows|code-line-number)$/;
const DIGITS = /^[\s\d]*$/;
/** Classes that name the language of code, on it or on an element around it. */
const LANGUAGE =
  /^(?:language|lang|highlight-source|highlight|brush|source|sourcecode)[-:](?!toolbar|wrapper)([\w+#.-]{1,30})$/;
const NO_LANGUAGE = new Set(['none', 'default', 'text', 'plain', 'plaintext', 'nohighlight', 'notranslate']);

/** Whether an element is only the number of lines of code, which is no part of the code. */
export function isLineNumber(element: Element): boolean {
  return (classes(element).some((name) => NUMBER.test(name)) || element.properties['dataLineNumber'] !== undefined) &&
    DIGITS.test(rawText(element));
}

/**
 * The code block in a table whose first cells are numbers of lines; undefined for other tables. The code is in one
 * cell, or has a row for each line.
 */
export function numberedCode(table: Element): Element | undefined {
  const rows = findAll(table, byName('tr'));
  const cells = rows.map((row) => findAll({ type: 'root', children: row.children }, byName('td', 'th')));
  if (rows.length === 0 || cells.some((row) => row.length !== 2 || !DIGITS.test(rawText(row[0]!)))) return undefined;
  if (rows.length === 1) {
    const code = cells[0]![1]!;
    return findAll(code, byName('pre'))[0] ?? undefined;
  }
  if (!cells.every(([number]) => isLineNumber(number!))) return undefined;
  const value = cells.map(([, code]) => rawText(code!).trimEnd()).join('\n');
  return { type: 'element', tagName: 'pre', properties: {}, children: [{ type: 'text', value }] };
}

/**
 * Code as a markdown block needs it, in place: without numbers of lines, and with its language as the class of a
 * `<code>`, wherever the program that made it names that.
 */
export function tidyCode(pre: Element, around: readonly Element[]): void {
  removeNumbers(pre);
  const inner = pre.children.find((child): child is Element => isElement(child) && child.tagName === 'code');
  const language = [inner, pre, ...around.slice(-3).reverse()].map(languageOf).find((found) => found !== undefined);
  if (language === undefined) return;
  const properties = { className: [`language-${language}`] };
  if (inner !== undefined) inner.properties = properties;
  else pre.children = [{ type: 'element', tagName: 'code', properties, children: pre.children }];
}

function removeNumbers(parent: Element | Root): void {
  parent.children = (parent.children as ElementContent[]).filter((child) => {
    if (!isElement(child)) return true;
    if (isLineNumber(child)) return false;
    removeNumbers(child);
    return true;
  });
}

function languageOf(element: Element | undefined): string | undefined {
  if (element === undefined) return undefined;
  const names = classes(element);
  const brush = names.indexOf('brush:');
  const found = (brush < 0 ? undefined : names[brush + 1]?.replace(/;$/, '')) ??
    (names.includes('sourcecode') && element.tagName !== 'div'
      ? names.find((name) => name !== 'sourcecode')
      : undefined) ??
    names.map((name) => LANGUAGE.exec(name)?.[1]).find((name) => name !== undefined) ??
    attribute(element, 'dataLang') ??
    attribute(element, 'dataLanguage');
  const language = found?.toLowerCase();
  return language === undefined || NO_LANGUAGE.has(language) || !/^[\w+#.-]{1,30}$/.test(language)
    ? undefined
    : language;
}
