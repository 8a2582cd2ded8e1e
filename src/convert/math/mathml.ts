import { elements, textOf, type XmlElement } from '../xml.ts';
import { delimitedTex, fractionTex, isAccent, joinTex, matrixTex, nameTex, rootTex, scriptsTex, stackedTex, symbolsTex,
  wordsTex } from './tex.ts';

const OPENING = new Set(['(', '[', '{', '|', '‖', '⟨', '〈', '⌊', '⌈', '∣', '∥']);
const CLOSING = new Set([')', ']', '}', '|', '‖', '⟩', '〉', '⌋', '⌉', '∣', '∥']);

/**
 * A formula of MathML as TeX, without dollar signs; '' if it has no content. The TeX that an author wrote, which
 * programs keep as an annotation, is preferred. Names of elements have no prefix.
 */
export function mathmlTex(element: XmlElement): string {
  return tex(element).trim();
}

function tex(element: XmlElement): string {
  const parts = elements(element);
  const at = (index: number) => (parts[index] === undefined ? '' : tex(parts[index]));
  switch (element.name) {
    case 'semantics':
      return annotated(parts) ?? at(0);
    case 'annotation':
    case 'annotation-xml':
    case 'mprescripts':
    case 'none':
    case 'mphantom':
      return '';
    case 'mi':
      return nameTex(symbols(element));
    case 'mn':
    case 'mo':
      return symbolsTex(symbols(element));
    case 'mtext':
    case 'ms':
      return wordsTex(textOf(element));
    case 'mspace':
      return ' ';
    case 'maction':
      return at(0);
    case 'mfrac':
      return fractionTex(at(0), at(1), !/^0+(?:\D|$)/.test(element.attributes['linethickness'] ?? '1'));
    case 'msqrt':
      return rootTex(row(parts), '');
    case 'mroot':
      return rootTex(at(0), at(1));
    case 'msup':
      return scriptsTex(at(0), '', at(1));
    case 'msub':
      return scriptsTex(at(0), at(1), '');
    case 'msubsup':
      return scriptsTex(at(0), at(1), at(2));
    case 'munder':
      return stackedTex(at(0), mark(parts[1]), '');
    case 'mover':
      return stackedTex(at(0), '', mark(parts[1]));
    case 'munderover':
      return stackedTex(at(0), mark(parts[1]), mark(parts[2]));
    case 'mmultiscripts':
      return multiscripts(parts);
    case 'mtable':
      return matrixTex(parts.map((line) => elements(line).slice(line.name === 'mlabeledtr' ? 1 : 0).map(tex)));
    case 'mfenced':
      return fenced(element, parts);
    default:
      return row(parts);
  }
}

/** What stands above or below a base; a character of an accent as it is. */
function mark(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  return element.name === 'mo' && isAccent(symbols(element)) ? symbols(element) : tex(element);
}

function annotated(parts: readonly XmlElement[]): string | undefined {
  const found = parts.find(({ name, attributes }) =>
    name === 'annotation' && /tex$/i.test(attributes['encoding'] ?? '')
  );
  const said = textOf(found).trim();
  const source = /^\{\\(?:display|text)style\s([^]*)\}$/.exec(said)?.[1] ?? said;
  if (source !== '') return source;
  // LibreOffice keeps what was typed, but leaves the formula itself empty if it could not be read.
  return parts.slice(0, 1).some((part) => textOf(part).trim() !== '') ? undefined : symbolsTex(textOf(parts.at(-1)));
}

function row(parts: readonly XmlElement[]): string {
  const [first, last] = [parts[0], parts.at(-1)];
  if (parts.length > 2 && first?.name === 'mo' && last?.name === 'mo' && OPENING.has(symbols(first)) &&
    (CLOSING.has(symbols(last)) || symbols(last) === ''))
    return delimitedTex(symbols(first), joinTex(parts.slice(1, -1).map(tex)), symbols(last));
  return joinTex(parts.map(tex));
}

function fenced(element: XmlElement, parts: readonly XmlElement[]): string {
  const { open = '(', close = ')', separators = ',' } = element.attributes;
  const between = separators.replace(/\s/g, '');
  const content = parts.map((part, index) => {
    const separator = between[Math.min(index, between.length) - 1] ?? between.at(-1) ?? '';
    return index === 0 ? tex(part) : symbolsTex(separator) + tex(part);
  });
  return delimitedTex(open, joinTex(content), close);
}

/** Scripts to the right of a base, then, after `mprescripts`, those to its left; each a lower and an upper one. */
function multiscripts(parts: readonly XmlElement[]): string {
  const turn = parts.findIndex(({ name }) => name === 'mprescripts');
  const pairs = (scripts: readonly XmlElement[], side: 0 | 1) =>
    joinTex(scripts.filter((_, index) => index % 2 === side).map(tex));
  const right = parts.slice(1, turn < 0 ? undefined : turn);
  const left = turn < 0 ? [] : parts.slice(turn + 1);
  const before = left.length === 0 ? '' : scriptsTex('', pairs(left, 0), pairs(left, 1));
  const base = parts[0] === undefined ? '' : tex(parts[0]);
  return before + scriptsTex(base, pairs(right, 0), pairs(right, 1));
}

function symbols(element: XmlElement): string {
  return textOf(element).trim();
}
