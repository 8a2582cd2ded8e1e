import { describe, expect, it } from 'vitest';
import { withCaseOf, wordsOfText } from './words-of-text.ts';

const words = (text: string): string[] =>
  Array.from(wordsOfText(text), (word) => {
    expect(text.slice(word.start, word.end)).toBe(word.text);
    return word.text;
  });

describe('wordsOfText', () => {
  it.each([['Plain words, and well-known ones.', ['Plain', 'words', 'and', 'well', 'known', 'ones']], [
    'it isn’t "quoted" (or) don\'t',
    ['it', 'isn’t', 'quoted', 'or', "don't"],
  ], ['see https://exmaple.com/pth?a=b, www.exmaple.com or me@exmaple.com', ['see', 'or']], [
    'run `npm instal` and ``a ` b`` then',
    ['run', 'and', 'then'],
  ], ['# Headng\n\n- itme\n> qoute **bld**', ['Headng', 'itme', 'qoute', 'bld']], ['[lnk](htps:/x "y") ![img](a.png)', [
    'lnk',
    'img',
  ]], ['before\n```js\nconst misspeled = 1;\n```\nafter', ['before', 'after']], ['~~~\ncod\n', []], [
    'a <b class="clas">bld</b> and 3 < 4 > 2',
    ['bld', 'and'],
  ], ['camelCase snake_case v2 HTTP LOUDLY x', ['LOUDLY']], ['über naïve Straße', ['über', 'naïve', 'Straße']], [
    'unclosed ` tick and < angle',
    ['unclosed', 'tick', 'and', 'angle'],
  ], ['#tag end. next:', ['tag', 'end', 'next']], ['', []]])('%j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each(['`', '<a ', '](', '<', '#', '-', '\n```\n'])('looks at nothing twice in a row of %j', (sign) => {
    expect(words(sign.repeat(200_000)).filter((word) => word !== 'a')).toEqual([]);
  });
});

describe('withCaseOf', () => {
  it.each([['teh', 'the', 'the'], ['Teh', 'the', 'The'], ['TEHMES', 'themes', 'THEMES'], ['É', 'é', 'É']])('%s, %s: %s',
    (word, correction, expected) => {
      expect(withCaseOf(word, correction)).toBe(expected);
    });
});
