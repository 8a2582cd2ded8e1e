import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TOKEN_BYTES, tokenize } from '../tokenize.ts';
import { codeForms, tokenizeCode } from './tokenize.ts';

describe('tokenizeCode (contract, "Code documents")', () => {
  it.each([['getUserName', ['getusername', 'get', 'user', 'name']], ['HTTPServer', ['httpserver', 'http', 'server']], [
    'XMLHttpRequest',
    ['xmlhttprequest', 'xml', 'http', 'request'],
  ], ['snake_case_name', ['snake_case_name', 'snake', 'case', 'name']], ['MAX_SIZE', ['max_size', 'max', 'size']], [
    'post-title',
    ['post-title', 'post', 'title'],
  ], ['card--wide__link', ['card--wide__link', 'card', 'wide', 'link']], ['--main-color', ['main-color', 'main',
    'color']], ['utf8Decode2', ['utf8decode2', 'utf', '8', 'decode', '2']], ['base64', ['base64', 'base', '64']], [
    '_private $scope',
    ['_private', 'private', '$scope', 'scope'],
  ], ['$ _', ['$', '_']], ['running the tests', ['running', 'the', 'tests']], ['i = x + 1;', ['i', 'x', '1']], [
    'if (a[0] === b) return 3.14',
    ['if', 'a', '0', 'b', 'return', '3', '14'],
  ], ['größeÄndern', ['größeändern', 'größe', 'ändern']], ['名前_値', ['名前_値', '名前', '値']], ['', []], ['{}();',
    []]])('reads %s', (text, forms) => {
      expect(codeForms(text)).toEqual(forms);
    });

  it('gives the parts the position of their identifier, and their own bytes', () => {
    expect(tokenizeCode('é = myVar;')).toEqual([{ start: 0, end: 2, form: 'é', position: 0 }, {
      start: 5,
      end: 10,
      form: 'myvar',
      position: 1,
    }, { start: 5, end: 7, form: 'my', position: 1 }, { start: 7, end: 10, form: 'var', position: 1 }]);
  });

  it('cuts what is too long for a name', () => {
    const tokens = tokenizeCode(`${'é'.repeat(300)} next`);
    expect(tokens.map(({ start, end }) => end - start)).toEqual([256, 256, 88, 4]);
    expect(tokens.at(-1)).toMatchObject({ form: 'next', position: 1 });
  });

  it('reads a large line in one go', () => {
    expect(tokenizeCode('aB'.repeat(300_000)).length).toBeGreaterThan(300_000);
  });

  it('keeps offsets on the text that the form stands for', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (source) => {
      const bytes = Buffer.from(source);
      let last = -1;
      for (const { start, end, form, position } of tokenizeCode(source)) {
        const text = bytes.subarray(start, end).toString();
        // Words of scripts without spaces are tokenised as in prose, which folds more.
        expect([text.toLowerCase().normalize('NFC'), ...tokenize(text).map((word) => word.form)]).toContain(form);
        expect(end - start).toBeLessThanOrEqual(MAX_TOKEN_BYTES);
        expect(position - last).toBeOneOf([0, 1]);
        last = position;
      }
    }));
  });
});
