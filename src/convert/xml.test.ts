import { describe, expect, it } from 'vitest';
import { child, parseXml, textOf } from './xml.ts';

const parse = (source: string) => parseXml(Buffer.from(source), 'part.xml');
const faultOf = (source: string): unknown => {
  try {
    parse(source);
    return 'none';
  } catch (error) {
    return (error as { fault?: unknown }).fault;
  }
};

describe('XML', () => {
  it('has the usual prefixes, whatever the file calls them', () => {
    const root = parse(
      '<x:document xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><x:t x:val="1">a &amp; ' +
        'b</x:t></x:document>',
    );
    expect(root.name).toBe('w:document');
    expect(child(root, 'w:t')!.attributes['w:val']).toBe('1');
    expect(textOf(root)).toBe('a & b');
  });

  it.each([['external entities', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'], [
    'entities of entities',
    '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><a>&y;</a>',
  ], ['unclosed elements', '<a><b></a>'], ['no element', 'text']])('is refused with %s', (_, source) => {
    expect(faultOf(source)).toBe('damaged');
  });

  it('is refused when it is nested too deeply', () => {
    expect(faultOf('<a>'.repeat(100_000))).toBe('too_deep');
  });

  it('has no attribute that reaches a prototype', () => {
    const root = parse('<a __proto__="x" constructor="y"/>');
    expect(root.attributes['constructor']).toBe('y');
    expect(Object.getPrototypeOf(root.attributes)).toBe(null);
  });
});
