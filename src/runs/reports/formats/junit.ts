import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { Pace } from '../../../lib/pace.ts';
import { decimal, type ParsedReport, type ParsedResult, ResultList, UnreadableReport } from './parsed.ts';

/** Nested elements. */
const MAX_DEPTH = 64;
/** Elements and attributes of a report. */
const MAX_NODES = 2_000_000;
/** Characters that the parser gets at once, so that others have their turn. */
const STEP = 16 * 1024;
/** Characters of the text of one element that are kept. */
const MAX_TEXT = 256 * 1024;

type Attributes = Readonly<Record<string, string>>;

/** What the elements below a test say about it. */
type Verdict = Pick<ParsedResult, 'state' | 'message' | 'detail'>;

const VERDICTS: Readonly<Record<string, ParsedResult['state']>> = {
  failure: 'failed',
  error: 'error',
  skipped: 'skipped',
};
/** Of tests that were repeated (Maven Surefire): they failed, and then passed or failed for good. */
const FLAKY = new Set(['flakyFailure', 'flakyError']);
const REPEATED = new Set([...FLAKY, 'rerunFailure', 'rerunError']);

/** In this order a verdict wins over those after it. */
const STRENGTH: readonly ParsedResult['state'][] = ['error', 'failed', 'skipped'];

interface OpenTest {
  readonly suite: string;
  readonly suiteFile: string;
  readonly attributes: Attributes;
  verdict: Verdict | undefined;
  repeats: number;
  flaky: boolean;
}

/**
 * Reads the XML of JUnit in its common forms: `testsuites`, nested `testsuite`s, `testcase` with `failure`, `error` and
 * `skipped`, and the elements of repeated tests. Entities beyond XML's own five are refused, a document type is
 * skipped, and nothing external is read. Rejects with an `UnreadableReport`.
 */
export async function parseJunit(text: string, most: number): Promise<ParsedReport> {
  const reader = new JunitReader(most);
  const parser = new SaxesParser({ xmlns: false });
  parser.on('opentag', (tag) => reader.open(tag));
  parser.on('closetag', (tag) => reader.close(tag.name));
  parser.on('text', (part) => reader.text(part));
  parser.on('cdata', (part) => reader.text(part));
  parser.on('error', (error) => {
    throw new UnreadableReport(`is not valid XML: ${error.message.slice(0, 200)}`);
  });
  const pace = new Pace();
  for (let at = 0; at < text.length; at += STEP) {
    parser.write(text.slice(at, at + STEP));
    await pace.rest();
  }
  parser.close();
  return reader.done();
}

class JunitReader {
  readonly #results: ResultList;
  readonly #byName = new Map<string, OpenTest>();
  readonly #open: string[] = [];
  readonly #suites: Attributes[] = [];
  #test: OpenTest | undefined;
  #text: string[] = [];
  #textLength = 0;
  #nodes = 0;
  #attributes: Attributes = {};

  constructor(most: number) {
    this.#results = new ResultList(most);
  }

  open({ name, attributes }: SaxesTagPlain): void {
    this.#nodes += 1 + Object.keys(attributes).length;
    if (this.#nodes > MAX_NODES) throw new UnreadableReport(`has more than ${MAX_NODES} elements and attributes`);
    if (this.#open.length === 0 && name !== 'testsuites' && name !== 'testsuite')
      throw new UnreadableReport(`is no JUnit report: its root is <${name.slice(0, 80)}>, not <testsuites>`);
    if (this.#open.push(name) > MAX_DEPTH) throw new UnreadableReport(`is nested deeper than ${MAX_DEPTH} elements`);
    if (name === 'testsuite') this.#suites.push(attributes);
    else if (name === 'testcase') this.#begin(attributes);
    else if (this.#isVerdict(name)) [this.#attributes, this.#text, this.#textLength] = [attributes, [], 0];
  }

  text(part: string): void {
    if (this.#test === undefined || this.#textLength >= MAX_TEXT || !this.#isVerdict(this.#open.at(-1)!)) return;
    this.#text.push(part);
    this.#textLength += part.length;
  }

  close(name: string): void {
    if (name === 'testsuite') this.#suites.pop();
    else if (name === 'testcase') this.#end();
    else if (this.#isVerdict(name)) this.#judge(name);
    this.#open.pop();
  }

  done(): ParsedReport {
    for (const test of this.#byName.values()) this.#add(test);
    return this.#results.done();
  }

  /** Only directly below a test: reports may have elements of these names elsewhere. */
  #isVerdict(name: string): boolean {
    return this.#test !== undefined && this.#open.at(-2) === 'testcase' &&
      (Object.hasOwn(VERDICTS, name) || REPEATED.has(name));
  }

  #begin(attributes: Attributes): void {
    const suite = this.#suites.at(-1) ?? {};
    this.#test = {
      suite: suite['name'] ?? '',
      suiteFile: suite['file'] ?? '',
      attributes,
      verdict: undefined,
      repeats: 0,
      flaky: false,
    };
  }

  #judge(name: string): void {
    const test = this.#test!;
    const detail = this.#text.join('');
    if (REPEATED.has(name)) {
      test.repeats += 1;
      test.flaky ||= FLAKY.has(name);
      return;
    }
    const { message = '', type = '' } = this.#attributes;
    const verdict = { state: VERDICTS[name]!, message: message || firstLine(detail) || type, detail };
    if (test.verdict === undefined || STRENGTH.indexOf(verdict.state) < STRENGTH.indexOf(test.verdict.state))
      test.verdict = verdict;
  }

  /** Tests of one name are one: some runners write each of its attempts. The worst result is that of the test. */
  #end(): void {
    const test = this.#test!;
    this.#test = undefined;
    const { classname = '', name = '' } = test.attributes;
    const key = JSON.stringify([test.suite, classname, name]);
    const other = this.#byName.get(key);
    if (other === undefined) {
      this.#byName.set(key, test);
      return;
    }
    const [a, b] = [outcomeOf(other), outcomeOf(test)];
    other.repeats += 1 + test.repeats;
    other.flaky ||= test.flaky || (isFailure(a) ? b === 'passed' : isFailure(b) && a === 'passed');
    if (rankOf(b) < rankOf(a)) other.verdict = test.verdict;
  }

  #add({ suite, suiteFile, attributes, verdict, repeats, flaky }: OpenTest): void {
    const seconds = decimal(attributes['time']?.replaceAll(',', ''));
    this.#results.add({
      kind: 'test',
      state: verdict?.state ?? (isLeftOut(attributes) ? 'skipped' : 'passed'),
      suite,
      className: attributes['classname'] ?? '',
      name: attributes['name'] ?? '',
      file: attributes['file'] ?? suiteFile,
      line: decimal(attributes['line']),
      durationMs: seconds === null ? null : seconds * 1000,
      attempts: 1 + repeats,
      flaky,
      message: verdict?.message ?? '',
      detail: verdict?.detail ?? '',
    });
  }
}

/** As GoogleTest writes tests that it did not run. */
const isLeftOut = ({ status, result }: Attributes): boolean =>
  status === 'notrun' || status === 'disabled' || result === 'skipped' || result === 'suppressed';

const outcomeOf = ({ verdict, attributes }: OpenTest): ParsedResult['state'] =>
  verdict?.state ?? (isLeftOut(attributes) ? 'skipped' : 'passed');

const isFailure = (state: ParsedResult['state']): boolean => state === 'failed' || state === 'error';

const RANKS: readonly ParsedResult['state'][] = ['error', 'failed', 'passed', 'skipped'];
const rankOf = (state: ParsedResult['state']): number => RANKS.indexOf(state);

function firstLine(text: string): string {
  const start = text.slice(0, 4096).trimStart();
  const end = start.indexOf('\n');
  return end === -1 ? start : start.slice(0, end);
}
