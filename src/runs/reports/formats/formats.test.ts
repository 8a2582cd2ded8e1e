import { describe, expect, it } from 'vitest';
import { parseReport, type ReportFormat, UnreadableReport } from './index.ts';

const read = (format: ReportFormat, text: string, most = 1000) => parseReport(format, Buffer.from(text), most);

async function states(format: ReportFormat, text: string): Promise<string[]> {
  return (await read(format, text)).results.map(({ suite, name, state }) => `${suite}|${name}|${state}`);
}

describe('JUnit', () => {
  it('has suites, classes, places, durations, messages and details', async () => {
    const text = `<?xml version="1.0"?><!DOCTYPE testsuites>
<testsuites><testsuite name="outer"><testsuite name="inner" file="of-suite.ts">
  <properties><property name="failure" value="x"/></properties>
  <testcase classname="shop.Cart" name="adds &lt;2&gt;" time="1,234.5" file="/var/w/work/${
      'a'.repeat(32)
    }.1/src/test/a.ts" line="12">
    <failure message="expected 2" type="AssertionError"><![CDATA[at <a.ts>:12]]></failure><system-out>noise</system-out>
  </testcase>
  <testcase classname="shop.Cart" name="ok" time="0.25"><system-err><failure message="of no test"/></system-err></testcase>
  <testcase name="broken"><error type="Timeout">first line
second</error></testcase>
  <testcase name="later"><skipped message="no network"/></testcase>
  <testcase name="not run" status="notrun"/>
</testsuite></testsuite></testsuites>`;
    const { results } = await read('junit', text);
    expect(results[0]).toEqual({
      kind: 'test',
      state: 'failed',
      suite: 'inner',
      className: 'shop.Cart',
      name: 'adds <2>',
      file: 'test/a.ts',
      line: 12,
      durationMs: 1_234_500,
      attempts: 1,
      flaky: false,
      level: null,
      message: 'expected 2',
      detail: 'at <a.ts>:12',
    });
    expect(results.slice(1)).toMatchObject([{ name: 'ok', state: 'passed', durationMs: 250, file: 'of-suite.ts' }, {
      name: 'broken',
      state: 'error',
      message: 'first line',
      detail: 'first line\nsecond',
      durationMs: null,
    }, { name: 'later', state: 'skipped', message: 'no network' }, { name: 'not run', state: 'skipped' }]);
  });

  it('makes one test of its attempts, and never hides that one of them failed', async () => {
    const { results } = await read('junit', `<testsuite name="s">
      <testcase name="twice"><failure message="no"/></testcase><testcase name="twice"/>
      <testcase name="surefire"><flakyFailure message="a"><stackTrace>x</stackTrace></flakyFailure><flakyError/></testcase>
      <testcase name="never"><failure message="last"/><rerunFailure message="first"/></testcase>
    </testsuite>`);
    expect(results).toMatchObject([{ name: 'twice', state: 'failed', attempts: 2, flaky: true, message: 'no' }, {
      name: 'surefire',
      state: 'passed',
      attempts: 3,
      flaky: true,
    }, { name: 'never', state: 'failed', attempts: 2, flaky: false }]);
  });

  it.each([['an entity of its own', '<!DOCTYPE t [<!ENTITY a "b">]><testsuite name="&a;"/>', /not valid XML/], [
    'an external entity',
    '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="x"><failure>&a;</failure></testcase></testsuite>',
    /not valid XML/,
  ], ['elements that are nested too deeply', `<testsuite>${'<a>'.repeat(100)}`, /nested deeper/], [
    'an end that is missing',
    '<testsuite><testcase name="x">',
    /not valid XML/,
  ], ['another root', '<html/>', /its root is <html>/], ['no XML', 'hello', /not valid XML/]])('refuses %s',
    async (_, text, message) => {
      await expect(read('junit', text)).rejects.toThrow(message);
      await expect(read('junit', text)).rejects.toBeInstanceOf(UnreadableReport);
    });

  it('is not confused by names of the language', async () => {
    expect(await states('junit', '<testsuite><testcase name="a"><toString/><constructor/></testcase></testsuite>'))
      .toEqual(['|a|passed']);
  });

  it('returns no more results than wanted, and cuts long texts', async () => {
    const tests = Array.from({ length: 5 },
      (_, i) =>
        `<testcase name="${i}${'n'.repeat(600)}"><failure message="${'m'.repeat(3000)}">${
          'd'.repeat(40_000)
        }</failure></testcase>`);
    const { results, left } = await read('junit', `<testsuite>${tests.join('')}</testsuite>`, 3);
    expect([results.length, left]).toEqual([3, 2]);
    expect([results[0]!.name.length, results[0]!.message.length, results[0]!.detail.length]).toEqual([512, 2000,
      16_000 - 1]);
  });
});

describe('TAP', () => {
  it('has points, directives and diagnostics', async () => {
    const { results } = await read('tap', `TAP version 14
1..5
ok 1 - adds
not ok 2 - removes \\# two
  ---
  message: "expected \\"2\\""
  at: test/cart.js:12:4
  duration_ms: 12.5
  ...
ok 3 - sends # SKIP no network
not ok 4 - later # TODO soon
ok
`);
    expect(results).toMatchObject([{ name: 'adds', state: 'passed' }, {
      name: 'removes # two',
      state: 'failed',
      message: 'expected "2"',
      file: 'test/cart.js',
      line: 12,
      durationMs: 13,
      detail: expect.stringContaining('at: test/cart.js:12:4') as string,
    }, { name: 'sends', state: 'skipped', message: 'no network' }, { name: 'later', state: 'skipped', message: 'soon' },
      {
        name: 'test 5',
        state: 'passed',
      }]);
  });

  it('counts the points of subtests, and not those that sum them up', async () => {
    expect(await states('tap', `TAP version 13
# Subtest: cart
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 1
      ...
    # Subtest: deep
        not ok 1 - inner
          ---
          error: |-
            one
            two
          ...
        1..1
    not ok 2 - deep
    1..2
not ok 1 - cart
  ---
  type: 'suite'
  ...
ok 2 - alone
1..2
`)).toEqual(['cart|adds|passed', 'cart > deep|inner|failed', '|alone|passed']);
  });

  it('reports tests that are missing from the plan, and a bail out', async () => {
    expect(await states('tap', '1..3\nok 1 - a\nBail out! no database\n')).toEqual(['|a|passed', '|Bail out!|error',
      '|plan|error']);
  });

  it('reads what the test runner of Node writes', async () => {
    const { execFileSync } = await import('node:child_process');
    const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const folder = mkdtempSync(join(tmpdir(), 'quire-tap-'));
    writeFileSync(join(folder, 'a.test.mjs'),
      "import {it, describe} from 'node:test';\ndescribe('cart', () => { it('adds', () => {}); it('breaks', () => { throw new Error('no') }); it.skip('later', () => {}); });\n");
    let out = '';
    try {
      // Within another run of tests it would write for that.
      execFileSync(process.execPath, ['--test', '--test-reporter=tap', 'a.test.mjs'], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] },
      });
    } catch (error) {
      out = (error as { stdout: string }).stdout;
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { results } = await read('tap', out);
    expect(results).toMatchObject([{ suite: 'cart', name: 'adds', state: 'passed' }, {
      suite: 'cart',
      name: 'breaks',
      state: 'failed',
      message: 'no',
      line: 2,
      detail: expect.stringContaining('stack:') as string,
    }, { suite: 'cart', name: 'later', state: 'skipped' }]);
    expect(results[0]!.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('refuses text without a test', async () => {
    await expect(read('tap', 'hello\nworld\n')).rejects.toThrow(/no TAP report/);
  });
});

describe('SARIF', () => {
  const log = (results: unknown[], rules: unknown[] = []) =>
    JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'ESLint', rules } }, results }] });

  it('has findings with rule, level, place and message', async () => {
    const { results } = await read('sarif', log([{
      ruleId: 'no-eval',
      level: 'error',
      message: { text: 'eval is evil' },
      locations: [{
        physicalLocation: {
          artifactLocation: { uri: 'src/a%20b.ts' },
          region: { startLine: 7, snippet: { text: 'eval(x)' } },
        },
      }],
    }, { ruleIndex: 0, message: { id: 'unused', arguments: ['x'] } }, {
      ruleId: 'old',
      level: 'error',
      message: { text: 'known' },
      suppressions: [{ kind: 'inSource' }],
    }, { ruleId: 'fine', kind: 'pass', message: { text: 'fine' } }], [{
      id: 'no-unused',
      defaultConfiguration: { level: 'note' },
      messageStrings: { unused: { text: '{0} is not used' } },
    }]));
    expect(results).toMatchObject([{
      kind: 'finding',
      state: 'failed',
      suite: 'ESLint',
      name: 'no-eval',
      level: 'error',
      file: 'src/a b.ts',
      line: 7,
      message: 'eval is evil',
      detail: 'eval(x)',
    }, { name: 'no-unused', state: 'warning', level: 'note', message: 'x is not used' }, { state: 'skipped' }, {
      state: 'passed',
    }]);
  });

  it.each([['no JSON', '{"runs": [', /not valid JSON/], ['another document', '{"a": 1}', /no list/], [
    'values that are nested too deeply',
    `{"runs": ${'['.repeat(100)}${']'.repeat(100)}}`,
    /not valid JSON/,
  ], ['values of other types', '{"runs": [1, {"tool": 3, "results": "x"}, null]}', undefined]])('bears %s',
    async (_, text, message) => {
      if (message === undefined) expect(await read('sarif', text)).toEqual({ results: [], left: 0 });
      else await expect(read('sarif', text)).rejects.toThrow(message);
    });
});
