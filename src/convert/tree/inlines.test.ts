import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../markdown.ts';
import { type Inline, phrasing, text } from './inlines.ts';

const md = (...inlines: Inline[]) =>
  toMarkdown({ type: 'root', children: [{ type: 'paragraph', children: phrasing(inlines) }] }).trimEnd();
const bold = { strong: true };

describe('marks of text', () => {
  it('are one where editors cut words into runs', () => {
    expect(md(text('a ', bold), text('b', bold), text(' '), text('c', bold))).toBe('**a b c**');
  });

  it('leave white space and punctuation outside where markdown needs it', () => {
    expect(md(text('x'), text(' a. ', bold), text('b'))).toBe('x **a.** b');
    expect(md(text('Task.', bold), text('next'))).toBe('**Task**.next');
  });

  it('go around whole words, except in scripts without spaces', () => {
    expect(md(text('ch'), text('an', bold), text('ge'))).toBe('change');
    expect(md(text('ch'), text('an and ', bold), text('on'))).toBe('chan **and** on');
    expect(md(text('これは'), text('東京', bold), text('です'))).toBe('これは**東京**です');
  });

  it('do not divide code, but links do', () => {
    expect(md(text('a', { code: true }), text('b', { code: true, strong: true }), text('c', { code: true }))).toBe(
      '`abc`',
    );
    expect(md(text('see ', { code: true }), text('it', { code: true, href: 'u' }), text('c', { code: true }))).toBe(
      '`see` [`it`](u)`c`',
    );
  });

  it('that reach further go outside', () => {
    expect(
      md(text('a ', { emphasis: true }), text('b', { emphasis: true, strong: true }), text(' c', { emphasis: true })),
    ).toBe('*a **b** c*');
    expect(md(text('a', { href: 'u', strong: true }), text(' b', { href: 'u' }))).toBe('[**a** b](u)');
  });

  it('never write a character as a reference', () => {
    const looks = [{}, bold, { emphasis: true }, { ...bold, emphasis: true }, { strike: true }];
    for (let seed = 0; seed < 300; seed += 1) {
      const inlines = Array.from({ length: 5 }, (_, i) =>
        text(['ab', ' c', 'd ', '.', 'e.f', ' '][(seed * (i + 3) + i) % 6]!,
          looks[(seed + i * (seed % 7)) % looks.length]!));
      expect(md(...inlines)).not.toMatch(/&#x[46-7]/);
    }
  });
});
