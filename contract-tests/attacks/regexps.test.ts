import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileSafeRegExp } from '../../src/lib/safe-regexp.ts';
import { type Growth, growthOf } from './regexp-growth.ts';
import { regExpsOf } from './regexps-of-source.ts';

/**
 * Expressions whose search time may be polynomial in the text, or seems to be, by their file and the beginning of their
 * literals; and why no caller can make them slow.
 */
const BOUNDED: readonly [file: string, begins: string, why: string][] = [['app/secrecy/index.ts', '/TOKEN|',
  'names of variables of the server itself'], ['app/ship/this-machine.ts', '/^(?=.{1,128}$)',
  'names of variables of the ship itself'], ['app/tracing/index.ts', '/\\/+$/',
  "a URL of the server's own environment"], ['docs/documents/get-document.ts', '/%%(?=([^%',
  'looks ahead over nothing that it could begin with, so no character is read twice'], ['docs/maintenance/export.ts',
  '/[. ]+$/', 'a key of at most 1024 bytes'], ['docs/memory/summary/sentences.ts', '/^ {0,3}(`{3,}(?!`|',
  'is anchored, so that it looks ahead once a line'], ['embedding/remote/post-json.ts', '/\\/+$/',
  'a URL of at most 8 KiB, once a provider'], ['lib/address.ts', '/^(?=.{1,253}$)', 'an address in the settings'], [
  'console/shared/exposition.ts',
  '/(\\w+)="',
  "metrics of the console's own server",
], ['convert/html/parse.ts', '/<meta[', 'the first KiB of a file'], ['convert/latex/reader.ts', '/\\\\label',
  'a label of at most 200 characters'], ['convert/latex/tables.ts', '/\\\\(?:hline',
  'arguments of at most 100 characters'], ['convert/pdf/style.ts', '/\\p{L}{1,40}-',
  'parts of words of at most 40 letters'], ['convert/pdf/paragraphs.ts', '/([', 'the last 60 characters of a line'], [
  'convert/pdf/running.ts',
  '/\\d+|',
  'numbers of at most 7 letters',
], ['lib/headers.ts', '/^bearer +(.+)$/i', 'a header has no line break, without which it cannot fail'], [
  'lib/duration.ts',
  '/(\\d+(?:\\.\\d+)?)(ms|[smhdw])/g',
  'run on what the expression above it, which is linear, has read',
], ['lib/setting-values.ts', '/^(', 'a header in the settings'], ['lib/regexp-automaton.ts', '/([*+?])\\??|',
  'a pattern of at most 1024 characters'], ['lib/trusted-proxies.ts', '/%.*$/',
  'a header has no line break, without which it cannot fail'], ['search/inverted/dictionary.ts', '/[^*?]*$/',
  'a word of a query of at most 4 KiB'], ['ship/execute/ai-text/send-chat.ts', '/\\/+$/',
  'an address in the settings of a ship'], ['ship/execute/diagnostic.ts', '/\\s*\\n\\s*/g',
  'at most 4 KiB of what git says'], ['storage/postgres/dialect.ts', '/,?\\s*\\bWITHOUT',
  'statements that this program wrote'], ['storage/postgres/dialect.ts', '/,?\\s*\\bSTRICT',
  'statements that this program wrote'], ['storage/open-transaction.ts', '/\\s+FOR',
  'statements that this program wrote'], ['storage/sql-text.ts', "/'(?:[^']|'')*'",
  'statements that this program wrote'], ['text/code/symbols/markup.ts', '/(?<![', 'a handler of at most 4 KiB'], [
  'text/code/symbols/markup.ts',
  "/'(?:[^'",
  'a handler of at most 4 KiB',
], [
  'text/code/import-paths.ts',
  '/[?#].*$/s',
  'cannot fail',
], ['text/code/symbols/style.ts', '/\\\\[^]|',
  'reads an escape before the quote in it, so that no quote is tried twice'], ['text/code/tokenize.ts', '/(?:[',
  'gives back one letter at most before it matches'], ['text/highlight/tags.ts', '/<([a-z]',
  'a tag of at most 256 bytes'], ['text/highlight/tags.ts', '/^\\[([a-z]', 'a tag of at most 256 bytes'], [
  'text/highlight/markup.ts',
  '/[a-z][a-z\\d',
  'the 32 characters in front of a sign',
], ['text/query/detect-mode.ts', '/[?\\s]+$/', 'a query of at most 4 KiB'], ['text/query/vocabulary.ts', '/(?:[',
  'looks ahead and behind by one character'], ['lib/git-address.ts', '/^([a-z]+:',
  'an address of at most 2048 characters'], ['lib/git-address.ts', '/\\/+$/', 'an address of at most 2048 characters'],
  ['runs/forge/apis.ts', '/\\/{1,8}$/', 'an address in the settings'], [
  'runs/forge/processing/match.ts',
  '/\\/{1,8}$/',
  'an address of at most 2048 characters',
], [
  'runs/reports/formats/tap.ts',
  '/^(not )?ok',
  'is anchored, and its last part takes the rest of the line',
], [
  'runs/reports/formats/tap.ts',
  '/^1',
  'is anchored, so that its spaces are read once',
], ['runs/statuses/markdown.ts', '/^([ ', 'begins at the start of a line, in at most 64 KiB'], [
  'runs/statuses/markdown.ts',
  '/^ {0,3}(`{3,100}',
  'is anchored, and its last part takes the rest of the line',
], ['runs/statuses/repository-path.ts', '/^\\/{1,8}|', 'an address in the settings'], [
  'ship/execute/pipeline/kill-reason.ts',
  '/^0::',
  'a file of the kernel',
], [
  'ship/execute/source/submodules.ts',
  '/\\/+$/',
  'a path of at most 512 characters',
], [
  'ship/execute/source/submodules.ts',
  '/^submodule',
  'a setting of at most 4096 characters',
], [
  'storage/postgres/dialect.ts',
  '/([\\w.]+) ->>',
  'statements that are written there',
]];

/** Expressions that are built at run time, and their parts. */
const MADE: readonly [file: string, of: string][] = [['api/http/routes.ts', 'paths of the specification'], [
  'convert/wiki/convert-page.ts',
  'words that are written there',
], ['convert/wiki/wikitext/tags.ts', 'names of tags that are written there'], ['lib/regexp-automaton.ts',
  'single atoms of a pattern, run on single characters; the pattern is compiled for its grammar alone'], [
  'runs/fleet/authority/files.ts',
  'two names of PEM blocks; blocks are parted by what cannot be in them',
], ['ship/execute/mask/secret-patterns.ts', 'a width'], ['text/code/symbols/script.ts',
  'parts that are written there, with every repetition bounded'], [
  'text/folding.ts',
  'characters that are written there',
], ['text/languages/korean-stemmer.ts', 'endings that are written there'], ['text/languages/polish-stemmer.ts',
  'endings that are written there'], ['text/languages/spellings.ts', 'digraphs that are written in the catalogue']];

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

describe('the regular expressions of the program', () => {
  const found = regExpsOf(SOURCES);

  it('take time in proportion to what they read, or read nothing large', () => {
    const literals = found.filter(({ literal }) => literal !== undefined).map(({ file, literal }) => ({
      file,
      literal: literal!,
      growth: growthOf(literal!),
    }));
    expect(literals.length).toBeGreaterThan(200);
    expect(literals.filter(({ growth }) => growth === 'exponential')).toEqual([]);
    const isKnown = (file: string, literal: string) =>
      BOUNDED.some(([where, begins]) => where === file && literal.startsWith(begins));
    const slow = literals.filter(({ growth }) => growth === 'polynomial');
    expect(slow.filter(({ file, literal }) => !isKnown(file, literal))).toEqual([]);
    expect(
      BOUNDED.filter(([file, begins]) => !slow.some((each) => each.file === file && each.literal.startsWith(begins))),
      'no longer there, or no longer slow',
    ).toEqual([]);
  }, 30_000);

  it('are built from nothing that users supply', () => {
    expect([...new Set(found.filter(({ literal }) => literal === undefined).map(({ file }) => file))]).toEqual(
      MADE.map(([file]) => file),
    );
  });
});

describe('the patterns of the specifications', () => {
  it.each(['docs', 'runs'])('that inputs are validated by are linear: %s', (service) => {
    const patterns = new Set<string>();
    JSON.parse(readFileSync(new URL(`../../generated/${service}/inputs.json`, import.meta.url), 'utf8'),
      (name, value: unknown) => {
        if (name === 'pattern' && typeof value === 'string') patterns.add(value);
        return value;
      });
    expect(patterns.size).toBeGreaterThan(3);
    expect([...patterns].filter((pattern) => growthOf(`/${new RegExp(pattern, 'u').source}/u`) !== 'linear')).toEqual(
      [],
    );
  });
});

describe('how an expression grows', () => {
  it.each<[string, Growth]>([['/a+/', 'linear'], ['/^a+$/', 'linear'], ['/^a*b*$/', 'linear'], ['/[^,]+/g', 'linear'], [
    '/^(?:\\d+(?:\\.\\d+)?[smh])+$/',
    'linear',
  ], ['/"[^"]*"/', 'linear'], ['/a+b/y', 'linear'], ['/^(?:ab|cd)+$/', 'linear'], ['/a+$/', 'polynomial'], ['/a+b/',
    'polynomial'], ['/^a*a*$/', 'polynomial'], ['/a.*b.*c/', 'polynomial'], ['/^\\d+\\.?\\d*$/', 'polynomial'], [
    '/^a(?=.*b)/',
    'polynomial',
  ], ['/(a+)+$/', 'exponential'], ['/^(a|a)*$/', 'exponential'], ['/^(a*)*b/', 'exponential'], ['/^(?:a|ab|b)*$/',
    'exponential'], ['/^(\\w+\\s?)*$/', 'exponential'], ['/^(?:x+x+)+y/', 'exponential'], ['/^([a-z]+)*[^]$/i',
    'exponential']])('%s: %s', (literal, growth) => {
      expect(growthOf(literal)).toBe(growth);
    });
});

describe('the pattern of a user', () => {
  // Each of these keeps a backtracking matcher busy for too long to wait.
  it.each(['(a+)+$', '(a|aa)+$', '(a|a?)+$', '(.*a){30}$', '(?:a+){30}b', '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a?){60}a{60}b', '(?:\\w+\\s?)*$!', '(x+x+)+y'])('%s is tested on hostile text all the same', (source) => {
      const pattern = compileSafeRegExp(source);
      for (const text of ['a'.repeat(20_000), `${'a'.repeat(20_000)}!`, `${'x'.repeat(20_000)}`, 'a '.repeat(10_000)])
        expect(typeof pattern.test(text)).toBe('boolean');
    });
});
