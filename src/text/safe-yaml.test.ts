import { describe, expect, it } from 'vitest';
import { parseYaml } from './safe-yaml.ts';

const valueOf = (text: string, options = {}): unknown => {
  const result = parseYaml(text, options);
  return result.ok ? result.value : result.problem;
};

describe('parseYaml', () => {
  it('reads the core schema and leaves dates as text', () => {
    expect(valueOf('a: 1\nb: true\nc: ~\nd: 2026-01-31\ne: 2026-01-31T10:00:00Z\nf: yes\ng: [1.5, x]')).toEqual({
      a: 1,
      b: true,
      c: null,
      d: '2026-01-31',
      e: '2026-01-31T10:00:00Z',
      f: 'yes',
      g: [1.5, 'x'],
    });
  });

  it('keeps numbers as written when asked to', () => {
    expect(valueOf('a: 1.10\nb: 007\nc: 0x1F\nd: 1e3\ne: -0\nf: true', { numbersAsText: true })).toEqual({
      a: '1.10',
      b: '007',
      c: '0x1F',
      d: '1e3',
      e: '-0',
      f: true,
    });
  });

  it('expands anchors and merges', () => {
    expect(valueOf('base: &b {x: 1}\nmore:\n  <<: *b\n  y: 2')).toEqual({ base: { x: 1 }, more: { x: 1, y: 2 } });
  });

  it('is null for an empty text', () => {
    expect(valueOf('')).toBeNull();
    expect(valueOf('# only a comment')).toBeNull();
  });

  it.each([['a: [1', 'line 1'], ['a: 1\na: 2', 'line 2, column 1: Map keys must be unique'], ['a: b: c', 'line 1'], [
    'a: *nowhere',
    'Unresolved alias',
  ], ['a: 1\n---\nb: 2', 'multiple documents'], ['a: !!js/function "function () { throw 1 }"', 'Unresolved tag'], [
    'a: !custom x',
    'Unresolved tag',
  ]])('names the place of the error in %j', (text, expected) => {
    expect(valueOf(text)).toContain(expected);
  });

  it('stops an alias bomb', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(',')}]`);
    expect(valueOf(lines.join('\n'))).toContain('alias');
  });

  it.each(['a: &a [*a]', '&a {b: *a}', '&a [[{c: [*a]}]]', '&a {x: &b [*a, *b]}'])('refuses what contains itself: %s',
    (text) => {
      for (const mapsAsMap of [true, false])
        expect(valueOf(text, { mapsAsMap })).toBe('an alias is within what it stands for');
    });

  it('takes an alias beside what it stands for', () => {
    expect(valueOf('a: &a [1]\nb: [*a, *a]\nc: {d: *a}')).toEqual({ a: [1], b: [[1], [1]], c: { d: [1] } });
  });

  it('survives nesting deeper than the stack', () => {
    expect(parseYaml('['.repeat(100_000)).ok).toBe(false);
  });

  it.each(['? ', '- ', '[', '{a: '])('refuses what is nested more than 256 deep, whatever the size of the stack: %j',
    (start) => {
      const close = start === '[' ? ']' : start === '{a: ' ? '}' : '';
      expect(valueOf(`${start.repeat(257)}1${close.repeat(257)}`, { mapsAsMap: true })).toBeTypeOf('object');
      expect(valueOf(`${start.repeat(258)}1${close.repeat(258)}`, { mapsAsMap: true })).toMatch(
        /^line 1, column \d+: nested more than 256 deep$/,
      );
    });

  it('does not touch prototypes', () => {
    const value = valueOf('__proto__: {polluted: 1}') as Record<string, unknown>;
    expect(value['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
