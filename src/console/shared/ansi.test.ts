import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnsi, readAnsiFrom, withoutAnsi } from './ansi.ts';

describe('readAnsi', () => {
  it('reads colours, their end, and styles', () => {
    expect(readAnsi('a \u001b[31mred\u001b[0m \u001b[1;4;94mloud\u001b[22m less\u001b[m.')).toEqual([{ text: 'a ' }, {
      text: 'red',
      color: '#ff8f85',
    }, { text: ' ' }, { text: 'loud', isBold: true, isUnderlined: true, color: '#b5d6ff' }, {
      text: ' less',
      isUnderlined: true,
      color: '#b5d6ff',
    }, { text: '.' }]);
  });

  it('continues the colours of the line before', () => {
    const { look } = readAnsiFrom('\u001b[31mone', {});
    expect(readAnsiFrom('two\u001b[0mthree', look)).toEqual({
      spans: [{ text: 'two', color: '#ff8f85' }, { text: 'three' }],
      look: {},
    });
  });

  it('reads colours of 256 and of 16 million', () => {
    expect(readAnsi('\u001b[38;5;208mo\u001b[48;2;1;2;3mb\u001b[38;5;244mg')).toEqual([{
      text: 'o',
      color: 'rgb(255 135 0)',
    }, { text: 'b', color: 'rgb(255 135 0)', background: 'rgb(1 2 3)' }, {
      text: 'g',
      color: 'rgb(128 128 128)',
      background: 'rgb(1 2 3)',
    }]);
  });

  it('leaves out what moves the cursor, titles of windows, and codes that it does not know', () => {
    expect(readAnsi('\u001b[2K\u001b[1A\u001b]0;title\u0007done\u001b[99m!\u001b[?25l')).toEqual([{ text: 'done' }, {
      text: '!',
    }]);
  });

  it('keeps all text, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      expect(readAnsi(text).map((span) => span.text).join('')).toBe(withoutAnsi(text));
      expect(withoutAnsi(text.replaceAll('\u001b', ''))).toBe(text.replaceAll('\u001b', ''));
    }));
  });
});
