import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TerminalText } from './terminal-text.ts';

const shown = (text: string, style = { colours: true, expandsTabs: false }): string =>
  new TerminalText(style).line('out', text);

describe('TerminalText', () => {
  it('keeps spaces, tabs and colours, and ends the colours with the line', () => {
    expect(shown('  a   b\tc  ')).toBe('  a   b\tc  ');
    expect(shown('\u001b[1;31mred\u001b[0m  x')).toBe('\u001b[1;31mred\u001b[0m  x\u001b[0m');
    expect(shown('\u001b[38:2::1:2:3mx')).toBe('\u001b[38:2::1:2:3mx\u001b[0m');
  });

  it('removes colours where they are not wanted', () => {
    expect(shown('\u001b[1;31mred\u001b[m\u001b[K  \tx', { colours: false, expandsTabs: false })).toBe('red  \tx');
  });

  it('shows every other control character, so that nothing is lost and nothing is done', () => {
    expect(shown('a\u001b[2Jb\u001b]0;title\u0007c\rd\u009b1me\u007ff\u0000\n')).toBe(
      'a␛[2Jb␛]0;title␇c␍d\\x9b1me␡f␀␊',
    );
  });

  it('continues the colours of a source in its next line, and in no other one', () => {
    const text = new TerminalText({ colours: true, expandsTabs: false });
    expect(text.line('out', '\u001b[31mone')).toBe('\u001b[31mone\u001b[0m');
    expect(text.line('err', 'other')).toBe('other');
    expect(text.line('out', 'two\u001b[1m')).toBe('\u001b[31mtwo\u001b[1m\u001b[0m');
    expect(text.line('out', '\u001b[0;32mthree')).toBe('\u001b[31m\u001b[1m\u001b[0;32mthree\u001b[0m');
    expect(text.line('out', '\u001b[mfour')).toBe('\u001b[0;32m\u001b[mfour\u001b[0m');
    expect(text.line('out', 'five')).toBe('five');
  });

  it('forgets colours of a program that never resets them', () => {
    const text = new TerminalText({ colours: true, expandsTabs: false });
    for (let n = 0; n < 1000; n++) expect(text.line('out', '\u001b[31mx').length).toBeLessThan(300);
  });

  it('puts tabs where a terminal does that has nothing before the text', () => {
    const style = { colours: true, expandsTabs: true };
    expect(shown('ab\tc\t\td', style)).toBe('ab      c               d');
    expect(shown('\u001b[31mab\u001b[0m\tc', style)).toBe('\u001b[31mab\u001b[0m      c\u001b[0m');
    expect(shown('日本\tc', style)).toBe('日本    c');
  });

  it('writes no control character except tabs and sequences of colours', () => {
    fc.assert(fc.property(fc.string({
      unit: fc.oneof(fc.constantFrom('\u001b', '[', '3', '1', ';', 'm', 'K', '\t', '\r', '\u009b', 'x'),
        fc.string({ minLength: 1, maxLength: 1, unit: 'binary' })),
    }), (text) => {
      const line = shown(text);
      expect(line.replaceAll(/\u001b\[[0-9;:]*m|\t/g, '')).not.toMatch(/\p{Cc}/u);
    }));
  });
});
