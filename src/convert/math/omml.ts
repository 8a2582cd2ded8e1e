import { child, elements, textOf, type XmlElement } from '../xml.ts';
import { delimitedTex, fractionTex, isAccent, joinTex, matrixTex, nameTex, rootTex, scriptsTex, stackedTex, symbolsTex,
  wordsTex } from './tex.ts';

/** A formula of Word (Office Math, ECMA-376 part 1, section 22.1) as TeX, without dollar signs. */
export function ommlTex(formula: XmlElement): string {
  return row(formula).trim();
}

function row(parent: XmlElement | undefined): string {
  return joinTex(elements(parent).map(tex));
}

function tex(element: XmlElement): string {
  const inner = (name: string) => row(child(element, name));
  switch (element.name) {
    case 'm:r':
      return run(element);
    case 'm:f':
      return fraction(element);
    case 'm:sSup':
      return scriptsTex(inner('m:e'), '', inner('m:sup'));
    case 'm:sSub':
      return scriptsTex(inner('m:e'), inner('m:sub'), '');
    case 'm:sSubSup':
      return scriptsTex(inner('m:e'), inner('m:sub'), inner('m:sup'));
    case 'm:sPre':
      return joinTex([scriptsTex('', inner('m:sub'), inner('m:sup')), inner('m:e')]);
    case 'm:rad':
      return rootTex(inner('m:e'), inner('m:deg'));
    case 'm:nary':
      return joinTex([scriptsTex(symbolsTex(property(element, 'm:chr') ?? '∫'), inner('m:sub'), inner('m:sup')), ' ',
        inner('m:e')]);
    case 'm:d':
      return delimited(element);
    case 'm:func':
      return func(element);
    case 'm:limLow':
      return stackedTex(name(child(element, 'm:e')), inner('m:lim'), '');
    case 'm:limUpp':
      return stackedTex(name(child(element, 'm:e')), '', inner('m:lim'));
    case 'm:acc':
      return stackedTex(inner('m:e'), '', mark(property(element, 'm:chr') ?? '\u0302'));
    case 'm:bar':
      return property(element, 'm:pos') === 'top'
        ? stackedTex(inner('m:e'), '', '‾')
        : stackedTex(inner('m:e'), '_', '');
    case 'm:groupChr':
      return groupCharacter(element);
    case 'm:borderBox':
      return `\\boxed{${inner('m:e')}}`;
    case 'm:m':
      return matrixTex(elements(element, 'm:mr').map((line) => elements(line, 'm:e').map(row)));
    case 'm:eqArr':
      // An ampersand marks where the equations are aligned.
      return matrixTex(elements(element, 'm:e').map((line) => [row(line).replaceAll('\\&', '&')]), 'aligned');
    default:
      return element.name.endsWith('Pr') ? '' : row(element);
  }
}

function run(element: XmlElement): string {
  const content = elements(element, 'm:t').map(textOf).join('');
  const properties = child(element, 'm:rPr');
  if (isOn(child(properties, 'm:nor'))) return wordsTex(content);
  return property(element, 'm:scr', 'm:rPr') === 'double-struck'
    ? `\\mathbb{${symbolsTex(content)}}`
    : symbolsTex(content);
}

function fraction(element: XmlElement): string {
  const [above, below] = [row(child(element, 'm:num')), row(child(element, 'm:den'))];
  const type = property(element, 'm:type');
  return type === 'lin' || type === 'skw' ? `${above}/${below}` : fractionTex(above, below, type !== 'noBar');
}

function delimited(element: XmlElement): string {
  const separator = symbolsTex(property(element, 'm:sepChr') ?? '|');
  const content = elements(element, 'm:e').flatMap((part,
    index) => (index === 0 ? [row(part)] : [separator, row(part)])
  );
  return delimitedTex(property(element, 'm:begChr') ?? '(', joinTex(content), property(element, 'm:endChr') ?? ')');
}

function func(element: XmlElement): string {
  const parts = [name(child(element, 'm:fName')), row(child(element, 'm:e'))];
  return joinTex(parts);
}

/** A function's name, which may be a formula of its own, such as a limit. */
function name(element: XmlElement | undefined): string {
  const parts = elements(element).filter((part) => !part.name.endsWith('Pr'));
  return parts.every((part) => part.name === 'm:r')
    ? nameTex(parts.flatMap((part) => elements(part, 'm:t')).map(textOf).join(''))
    : row(element);
}

function groupCharacter(element: XmlElement): string {
  const content = row(child(element, 'm:e'));
  const character = mark(property(element, 'm:chr') ?? '⏟');
  return property(element, 'm:pos') === 'top' ? stackedTex(content, '', character) : stackedTex(content, character, '');
}

function mark(character: string): string {
  return isAccent(character) ? character : symbolsTex(character);
}

/** The value of a property; undefined if it is absent, '' if it is present without a value. */
function property(element: XmlElement, name: string, group = `${element.name}Pr`): string | undefined {
  const found = child(child(element, group), name);
  return found === undefined ? undefined : (found.attributes['m:val'] ?? '');
}

function isOn(element: XmlElement | undefined): boolean {
  return element !== undefined && !['0', 'off', 'false'].includes(element.attributes['m:val'] ?? '');
}
