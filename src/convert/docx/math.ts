import { child, elements, textOf, type XmlElement } from '../xml.ts';

/** Converts a formula of Word (OMML) to LaTeX. Supports fractions, scripts, roots, sums and brackets. */
export function mathText(element: XmlElement): string {
  return elements(element).map(part).join('');
}

const inner = (parent: XmlElement, name: string): string => {
  const found = child(parent, name);
  return found === undefined ? '' : mathText(found);
};

function part(element: XmlElement): string {
  switch (element.name) {
    case 'm:r':
      return elements(element, 'm:t').map(textOf).join('');
    case 'm:f':
      return `\\frac{${inner(element, 'm:num')}}{${inner(element, 'm:den')}}`;
    case 'm:sSup':
      return `${inner(element, 'm:e')}^{${inner(element, 'm:sup')}}`;
    case 'm:sSub':
      return `${inner(element, 'm:e')}_{${inner(element, 'm:sub')}}`;
    case 'm:sSubSup':
      return `${inner(element, 'm:e')}_{${inner(element, 'm:sub')}}^{${inner(element, 'm:sup')}}`;
    case 'm:rad': {
      const degree = inner(element, 'm:deg');
      return `\\sqrt${degree === '' ? '' : `[${degree}]`}{${inner(element, 'm:e')}}`;
    }
    case 'm:nary':
      return `${child(child(element, 'm:naryPr'), 'm:chr')?.attributes['m:val'] ?? '\\int'}_{${
        inner(element, 'm:sub')
      }}^{${inner(element, 'm:sup')}}{${inner(element, 'm:e')}}`;
    case 'm:d': {
      const properties = child(element, 'm:dPr');
      const [open, close] = [child(properties, 'm:begChr')?.attributes['m:val'] ?? '(',
        child(properties, 'm:endChr')?.attributes['m:val'] ?? ')'];
      return `${open}${elements(element, 'm:e').map(mathText).join(', ')}${close}`;
    }
    default:
      return element.name.endsWith('Pr') ? '' : mathText(element);
  }
}
