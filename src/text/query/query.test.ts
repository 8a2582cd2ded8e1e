import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { not } from './ast.ts';
import { type ParseOptions, parseQuery, printQuery, QUERY_MODES, type QueryNode, QuerySyntaxError,
  wantedNodes } from './index.ts';

const printed = (query: string, options: ParseOptions = {}): string => {
  const { mode, root } = parseQuery(query, options);
  return `${mode}: ${printQuery(root)}`;
};

/** The tree without source ranges. */
const shape = (node: QueryNode | undefined): unknown =>
  JSON.parse(
    JSON.stringify(node ?? null, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value)),
  );

describe('mode auto (decision D-87)', () => {
  it.each([['(cat OR dog) AND "wild bird"', 'expression: +(cat dog) +"wild bird"'], ['"a b" -cat',
    'expression: +"a b" -cat'], ['(a)AND(b)', 'expression: +a +b'], ['"quick fox"~3', 'proximity: "quick fox"~3'], [
    '"quick fox"',
    'phrase: "quick fox"',
  ], ['"quick fox" "lazy dog"', 'phrase: +"quick fox" +"lazy dog"'], ['"quick fox" runs', 'phrase: +"quick fox" runs'],
    ['comput*', 'wildcard: comput*'], ['colou?r', 'wildcard: colou?r'], ['foo* AND bar', 'wildcard: +foo* +bar'], [
    'cat AND dog',
    'boolean: +cat +dog',
  ], ['+rust -go async', 'boolean: +rust async -go'], [
    'full text search',
    'simple: full text search',
  ]])('%s', (query, expected) => expect(printed(query)).toBe(expected));

  it.each([['What is this?', 'simple: what is this'], ['is te*t this?', 'wildcard: is te*t this'], ['ab?',
    'simple: ab'], ['what does main() do', 'simple: what does main do'], ['git --verbose - or not',
    'simple: git verbose or not'], ['a 5" disk', 'simple: a 5 disk'], ['AT&T and ANDROID', 'simple: at t and android'],
    ['*', 'simple: '], ['', 'simple: '], ['!!! ???', 'simple: ']])('takes %j as prose',
      (query, expected) => expect(printed(query)).toBe(expected));
});

describe('mode auto, accidental syntax (decision D-178)', () => {
  it.each([
    ['a name with a hyphen in front', ['-webkit-touch-callout', '-webkit-to', 'how to use -webkit-box', '--save-dev']],
    ['a command', ['rm -rf build', 'tar -xzf', 'sudo tar -czvf a.tgz b', 'ls -la', 'git commit -m "fix bug"',
      'ps aux | grep -v node', 'find . -name "*.ts"', 'java -jar app.jar', 'curl -sSL x.org', 'kill -9 12', 'cp a/ -b',
      'grep "a b" ./src -word', 'what does rm -rf do?']],
    ['an address or a path', ['https://x.org/a?b=1', 'x.org/a?b', '/a?b', 'index.php?id=3', '?lang=en', 'C:\\x -yes',
      'src/*.js', '*.js', '~/a -yes', 'ftp://x.org/*x']],
    ['code', ['for (let i = 0; i < n; i++)', 'a && b', 'foo(bar)', 'f(-x, "y z")', 'print("hello world")', 'x = -y',
      '{"key": "value"}', 'a[i] -yes', 'SELECT count(*) AND (b)', '`a* b`', '^[a-z]*foo$', '<a href="x y">', 'a?.b',
      'data-*', '**bold**', '1920*1080', '/* note */']],
    ['text', ['what?', 'colo? ', 'cat\u00e9??', '2" x 4" lumber', 'say "hello', '"', 'cats AND', '(a', 'NOT cat',
      '-cat', '-cat -dog', '-(cat dog)', '"..." -cat', '"!"']],
  ])('takes %s as words', (_, queries) => {
    for (const query of queries) {
      const { root } = parseQuery(query, { mode: 'simple' });
      expect(printed(query), query).toBe(`simple: ${printQuery(root)}`);
    }
  });

  it.each([['apple -pie', 'boolean: +apple -pie'], ['html -css', 'boolean: +html -css'], ['rust -go',
    'boolean: +rust -go'], ['cat -dog -"wild bird"', 'expression: +cat -dog -"wild bird"'], ['node.js -java',
    'boolean: +"node js" -java'], ['AT&T -cable', 'boolean: +"at t" -cable'], ['a (b OR -c)', 'expression: +a +b'], [
    'function*',
    'wildcard: function*',
  ], ['c?t?', 'wildcard: c?t?'], ['document.get*', 'wildcard: +document +get*'], ['max_retry*',
    'wildcard: +max +retry*'], ['*ology', 'wildcard: *ology'], ['3.1*', 'wildcard: 3.1*'], ['他说"你好"',
    'phrase: +"你好" 他说']])('keeps the syntax of %s', (query, expected) => expect(printed(query)).toBe(expected));

  it('leaves modes that are asked for as they are', () => {
    expect(printed('-cat', { mode: 'boolean' })).toBe('boolean: -cat');
    expect(printed('rm -rf build', { mode: 'boolean' })).toBe('boolean: rm build -rf');
    expect(printed('colo?', { mode: 'wildcard' })).toBe('wildcard: colo?');
  });

  it('looks for something in any pasted text', () => {
    const name = fc.stringMatching(/^[a-z\dé日][a-z\d_é日]{0,5}$/);
    const sign = fc.constantFrom('-', '--', '+', '', '*', '?', '$', '"', '(', '!', 'NOT ', '-(', '-"', '"-');
    const end = fc.constantFrom('', '', '*', '?', '"', ')', '="x"', '()', ';', '/', '~2', ' AND', ' OR', '++', '.*');
    const word = fc.tuple(sign, name, end).map((parts) => parts.join(''));
    const between = fc.constantFrom(' ', ' ', '-', '/', '=', ' && ', ' | ', '?', '&', '://', '.', '(', ', ', ' -',
      '\n');
    const pasted = fc.array(fc.tuple(word, between), { minLength: 1, maxLength: 8 }).map((parts) =>
      parts.flat().join('')
    );
    fc.assert(fc.property(pasted, fc.boolean(), (query, code) => {
      expect(wantedNodes(parseQuery(query, { code }).root)).not.toEqual([]);
    }), { numRuns: 2000 });
  });
});

describe('the boolean and expression modes (decisions, section 4.4)', () => {
  it.each([['a b', '+a +b', 'a b'], ['a AND b OR c AND d', '(+a +b) (+c +d)', '(+a +b) (+c +d)'], ['a OR b c',
    'a (+b +c)', 'a (b c)'], ['a b AND c', '+a +b +c', '+b +c a'], ['+a b -c', '+a +b -c', '+a b -c'], ['NOT a AND b',
    '+b -a', '+b -a'], ['a (NOT b)', '+a -b', '+a -b'], ['a OR NOT b', 'a', 'a'], ['NOT (NOT a)', 'a', 'a'], [
    'c AND (NOT a OR NOT b)',
    '+c -(+a +b)',
    '+c -(+a +b)',
  ], ['NOT a NOT b', '-a -b', '-a -b'], ['NOT (a OR b)', '-(a b)', '-(a b)'], ['cat~1 AND dog~0', '+cat~1 +dog~0',
    '+cat~1 +dog~0'], ['"a b"~4 AND te?t*', '+"a b"~4 +te?t*', '+"a b"~4 +te?t*'], ['wi-fi AND foo-b*r',
    '+"wi fi" +(+foo +b*r)', '+"wi fi" +(+foo +b*r)'], ['a AND "" AND !!! AND * AND b', '+a +b', '+a +b'], [
    '全文搜索 AND Größe',
    '+"全文 搜索" +grösse',
    '+"全文 搜索" +grösse',
  ], ['and or not', '+and +or +not', 'and or not']])('%s', (query, expression, boolean) => {
    expect(printed(query, { mode: 'expression' })).toBe(`expression: ${expression}`);
    expect(printed(query, { mode: 'boolean' })).toBe(`boolean: ${boolean}`);
  });

  it.each([['a AND', 5, 'expected a term'], ['OR a', 0, 'got OR'], ['a AND OR b', 6, 'got OR'], ['NOT', 3,
    'the end of the query'], ['(é AND b', 0, 'not closed'], ['é) AND b', 2, 'no opening'], ['é AND ()', 8,
    'expected a term'], ['é "b', 3, 'the quote is not closed'], ['é AND a~3', 7, 'fuzziness must be at most 2, got 3'],
    ['"a b"~1001 c', 0, 'distance must be at most 1000']])('refuses %j at byte %i', (query, position, message) => {
      for (const mode of ['expression', 'boolean'] as const) {
        const error = thrownBy(() => parseQuery(query, { mode }));
        expect(error).toMatchObject({ position });
        expect(error?.message).toContain(message);
        expect(error?.message).toContain(`at byte ${position}`);
      }
    });

  it('limits nesting to 32, operands to 128 and the query to 4 KiB', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
    expect(printed(nested(32), { mode: 'expression' })).toBe('expression: a');
    expect(thrownBy(() => parseQuery(nested(33), { mode: 'expression' }))).toMatchObject({ position: 32 });
    expect(thrownBy(() => parseQuery(nested(2000), { mode: 'expression' }))).toBeDefined();
    expect(parseQuery('a '.repeat(128), { mode: 'boolean' }).root).toMatchObject({ optional: { length: 128 } });
    expect(thrownBy(() => parseQuery('a '.repeat(129), { mode: 'boolean' }))).toMatchObject({ position: 256 });
    expect(thrownBy(() => parseQuery('word '.repeat(10_000)))).toMatchObject({ position: 4096 });
  });

  it('notes the source range of every node in bytes', () => {
    expect(parseQuery('é (b OR "ç d")', { mode: 'expression' }).root).toMatchObject({
      start: 0,
      end: 16,
      required: [{ form: 'é', start: 0, end: 2 }, {
        start: 4,
        end: 15,
        optional: [{ start: 4, end: 5 }, { start: 9, end: 15 }],
      }],
    });
  });
});

describe('the other modes', () => {
  it('simple has no syntax', () => {
    expect(printed('+a AND "b c"~2 (d', { mode: 'simple' })).toBe('simple: a and b c 2 d');
  });

  it('joins single letters without a space into words, except for particles', () => {
    expect(printed('招商 公司', { mode: 'simple' })).toBe('simple: 招商 公司');
    expect(printed('イベントハンドラーが呼び出されます', { mode: 'simple' })).toBe(
      'simple: イベント ハンドラー が 呼び出され ます',
    );
    expect(printed('招 商', { mode: 'simple' })).toBe('simple: 招 商');
    expect(printed('招商', { mode: 'boolean' })).toBe('boolean: 招商');
  });

  it('phrase takes all of a query without quotes', () => {
    expect(printed('quick brown fox', { mode: 'phrase' })).toBe('phrase: "quick brown fox"');
    expect(thrownBy(() => parseQuery('say "quick', { mode: 'phrase' }))).toMatchObject({ position: 4 });
  });

  it('proximity has a distance of 5, or that of the request, or that of the phrase', () => {
    expect(printed('a b', { mode: 'proximity' })).toBe('proximity: "a b"~5');
    expect(printed('"a b" "c d"~2', { mode: 'proximity', distance: 9 })).toBe('proximity: +"a b"~9 +"c d"~2');
  });

  it('wildcard folds the letters of a pattern and refuses one without any', () => {
    expect(printed('ÜBER* te?T **x?*? plain', { mode: 'wildcard' })).toBe('wildcard: über* te?t *x??* plain');
    expect(printed("don't* 3.1? a.b*", { mode: 'wildcard' })).toBe("wildcard: don't* 3.1? (+a +b*)");
    expect(thrownBy(() => parseQuery(' ?*', { mode: 'wildcard' }))).toMatchObject({ position: 1 });
    expect(thrownBy(() => parseQuery('a* '.repeat(129), { mode: 'wildcard' }))).toMatchObject({ position: 384 });
  });
});

describe('parsing any text', () => {
  const hostile = fc.array(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('"', '(', ')', '~', '~2', '*', '?', '+', '-', ' ', ' AND ', ' OR ', ' NOT ', 'AND', 'a', 'b c',
        '\u200b', '\u0301', '[a-z]+', '\\', '日本語', "don't", '\ud800', '3.14', '\0')),
    { maxLength: 40 },
  ).map((parts) => parts.join(''));

  it('returns a tree or a syntax error inside of the query, in every mode', () => {
    fc.assert(fc.property(hostile, fc.constantFrom('auto' as const, ...QUERY_MODES), (query, mode) => {
      const length = Buffer.byteLength(query);
      try {
        for (const { start, end } of wantedNodes(parseQuery(query, { mode }).root))
          expect([start >= 0, end > start, end <= length]).toEqual([true, true, true]);
      } catch (error) {
        if (!(error instanceof QuerySyntaxError)) throw error;
        expect(error.position).toBeLessThanOrEqual(length);
      }
    }), { numRuns: 2000 });
  });

  it('parses again what it prints', () => {
    const form = fc.constantFrom('a', 'bc', "don't", '3.14', 'über', 'книга', 'and');
    const forms = fc.array(form, { minLength: 1, maxLength: 3 });
    const range = { start: 0, end: 0 };
    const { tree } = fc.letrec<{ tree: QueryNode }>((tie) => ({
      tree: fc.oneof({ depthSize: 'small' }, fc.record({
        kind: fc.constant('term' as const),
        form,
        fuzzy: fc.constantFrom(0 as const, 1 as const, 2 as const),
      }).map((node) => ({ ...node, ...range })), form.map((word) => ({ kind: 'term' as const, form: word, ...range })),
        forms.map((words) => ({ kind: 'phrase' as const, forms: words, ...range })),
        fc.record({ kind: fc.constant('proximity' as const), forms, distance: fc.nat(1000) }).map((node) => ({
          ...node,
          ...range,
        })), fc.constantFrom('a*', '?b', "d*'t", 'x??*').map((pattern) => ({
          kind: 'wildcard' as const,
          pattern: pattern.replace("'", ''),
          ...range,
        })), fc.record({
          required: fc.array(tie('tree'), { maxLength: 3 }),
          optional: fc.array(tie('tree'), { maxLength: 3 }),
          excluded: fc.array(tie('tree'), { maxLength: 2 }),
        }).filter(({ required, optional, excluded }) =>
          required.length + optional.length > 0 && required.length + optional.length + excluded.length > 1 &&
          !(required.length === 0 && optional.length === 1)
        ).map((group) => ({ kind: 'group' as const, ...group, ...range }))),
    }));
    fc.assert(fc.property(tree, fc.boolean(), (positive, negated) => {
      const node = negated ? not(positive, { start: 0, end: 0 })! : positive;
      expect(shape(parseQuery(printQuery(node), { mode: 'boolean' }).root)).toEqual(shape(node));
    }), { numRuns: 500 });
  });

  it('is quick for the worst of queries', () => {
    const started = performance.now();
    for (const unit of ['a ', '"', '" ', '(', '*', '?', '* ', '~1', '+', '-(', 'a AND ', 'NOT ', '*?', "'", '\u0301']) {
      for (const mode of ['auto', ...QUERY_MODES] as const)
        thrownBy(() => parseQuery(unit.repeat(Math.floor(4096 / Buffer.byteLength(unit))), { mode }));
    }
    // Some hundred queries: even a busy machine needs far less than this limit.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

function thrownBy(action: () => unknown): QuerySyntaxError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof QuerySyntaxError) return error;
    throw error;
  }
}
