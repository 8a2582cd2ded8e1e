import { Pace } from '../../../lib/pace.ts';
import { decimal, type ParsedReport, type ParsedResult, ResultList, UnreadableReport } from './parsed.ts';

/** Levels of subtests; each is indented by four spaces. */
const MAX_DEPTH = 32;
/** Characters of a line that are read. */
const MAX_LINE = 16 * 1024;
/** Lines of one diagnostic that are kept. */
const MAX_DIAGNOSTIC = 400;
/** Lines between two rests. */
const STEP = 500;

const POINT = /^(not )?ok\b(?: (\d{1,9}))?(?: ?- ?| |$)(.*)$/;
const PLAN = /^1\.\.(\d{1,9})(?: *# *(.*))?$/;
const BAIL = /^Bail out!(.*)$/;
const SUBTEST = /^# Subtest: (.*)$/;
const FIELD = /^(\w{1,40}): ?(.*)$/;

/** A test point, until what belongs to it has been read. */
interface Point {
  readonly ok: boolean;
  readonly name: string;
  readonly directive: 'SKIP' | 'TODO' | undefined;
  readonly reason: string;
  readonly level: number;
  readonly isParent: boolean;
  readonly suite: string;
  diagnostic: string[];
}

/** One level of subtests. */
interface Level {
  readonly name: string;
  points: number;
  plan: number | undefined;
}

/**
 * Reads the Test Anything Protocol, with directives, YAML diagnostics and subtests. The point that sums a subtest up is
 * no result of its own. A missing plan is no error, but points that are missing from a plan are. Rejects with an
 * `UnreadableReport`.
 */
export async function parseTap(text: string, most: number): Promise<ParsedReport> {
  const reader = new TapReader(most);
  const pace = new Pace();
  let lines = 0;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf('\n', at);
    const end = found === -1 ? text.length : found;
    reader.line(text.slice(at, Math.min(end, at + MAX_LINE)).trimEnd());
    at = end + 1;
    if (++lines % STEP === 0) await pace.rest();
  }
  return reader.done();
}

class TapReader {
  readonly #results: ResultList;
  #levels: Level[] = [{ name: '', points: 0, plan: undefined }];
  #point: Point | undefined;
  #isInDiagnostic = false;
  #isTap = false;
  /** Name of the subtest whose points follow, one level below. */
  #pending: string | undefined;
  /** A subtest that has just ended; the next point of the level above sums it up. */
  #ended: number | undefined;

  constructor(most: number) {
    this.#results = new ResultList(most);
  }

  line(line: string): void {
    const content = line.trimStart();
    const indent = line.length - content.length;
    if (this.#readDiagnostic(content, line)) return;
    if (content === '') return;
    const level = Math.min(Math.floor(indent / 4), MAX_DEPTH);
    const subtest = SUBTEST.exec(content);
    if (subtest !== null) this.#enter(subtest[1]!, level);
    else if (/^TAP version \d/.test(content)) this.#isTap = true;
    else if (!this.#readPoint(content, level) && !this.#readPlan(content, level)) this.#readBail(content);
  }

  done(): ParsedReport {
    this.#flush();
    for (let level = this.#levels.length - 1; level >= 0; level--) this.#checkPlan(this.#levels[level]!);
    if (!this.#isTap) throw new UnreadableReport('is no TAP report: it has neither a plan nor a test point');
    return this.#results.done();
  }

  /** A block of YAML between `---` and `...` belongs to the point before it. */
  #readDiagnostic(content: string, line: string): boolean {
    if (!this.#isInDiagnostic) {
      if (content !== '---' || this.#point === undefined) return false;
      this.#isInDiagnostic = true;
      return true;
    }
    if (content === '...') this.#isInDiagnostic = false;
    else if (this.#point!.diagnostic.length < MAX_DIAGNOSTIC) this.#point!.diagnostic.push(line);
    return true;
  }

  /** `# Subtest: name` stands at the level of the point that sums it up; its points are one level below. */
  #enter(name: string, level: number): void {
    this.#flush();
    this.#levelOf(level);
    this.#pending = name;
  }

  #levelOf(level: number): Level {
    if (level < this.#levels.length - 1) {
      this.#ended = level + 1;
      this.#leave(level + 1);
    }
    while (this.#levels.length <= level) {
      const name = this.#pending ?? '';
      this.#pending = undefined;
      this.#levels.push({ name, points: 0, plan: undefined });
    }
    return this.#levels[level]!;
  }

  /** Leaves all levels from this one on. */
  #leave(from: number): void {
    while (this.#levels.length > from) this.#checkPlan(this.#levels.pop()!);
  }

  #readPoint(content: string, level: number): boolean {
    const match = POINT.exec(content);
    if (match === null) return false;
    this.#flush();
    this.#isTap = true;
    this.#ended = undefined;
    const own = this.#levelOf(level);
    own.points += 1;
    const { name, directive, reason } = readDescription(match[3]!);
    this.#point = {
      ok: match[1] === undefined,
      name: name || `test ${match[2] ?? own.points}`,
      directive,
      reason,
      level,
      isParent: this.#ended === level + 1,
      suite: this.#levels.slice(1).map((each) => each.name).filter((each) => each !== '').join(' > '),
      diagnostic: [],
    };
    this.#pending = undefined;
    return true;
  }

  #readPlan(content: string, level: number): boolean {
    const match = PLAN.exec(content);
    if (match === null) return false;
    this.#isTap = true;
    this.#flush();
    this.#levelOf(level).plan = Number(match[1]);
    return true;
  }

  #readBail(content: string): void {
    const match = BAIL.exec(content);
    if (match === null) return;
    this.#isTap = true;
    this.#flush();
    this.#results.add({ kind: 'test', state: 'error', name: 'Bail out!', message: match[1]!.trim() || 'bailed out' });
  }

  #checkPlan({ name, points, plan }: Level): void {
    if (plan === undefined || plan === points) return;
    const message = `${plan} tests were planned, ${points} ran`;
    this.#results.add({ kind: 'test', state: 'error', suite: name, name: 'plan', message });
  }

  #flush(): void {
    const point = this.#point;
    this.#point = undefined;
    this.#isInDiagnostic = false;
    if (point === undefined || point.isParent) return;
    const fields = fieldsOf(point.diagnostic);
    if (fields.get('type') === 'suite') return;
    const state = stateOf(point);
    const [, file = fields.get('file') ?? '', line = fields.get('line')] =
      /^(.{1,2000}?):(\d{1,9})(?::\d{1,9})?$/.exec(fields.get('location') ?? fields.get('at') ?? '') ?? [];
    this.#results.add({
      kind: 'test',
      state,
      suite: point.suite,
      name: point.name,
      file,
      line: decimal(line),
      durationMs: decimal(fields.get('duration_ms') ?? fields.get('time')),
      message: state === 'passed' ? '' : point.reason || fields.get('message') || fields.get('error') || '',
      detail: state === 'failed' ? point.diagnostic.map((each) => each.slice(point.level * 4 + 2)).join('\n') : '',
    });
  }
}

function stateOf({ ok, directive }: Point): ParsedResult['state'] {
  if (directive === 'SKIP') return 'skipped';
  if (ok) return 'passed';
  return directive === 'TODO' ? 'skipped' : 'failed';
}

/** `name # SKIP reason`; a `#` of the name is escaped by a backslash. */
function readDescription(text: string): Pick<Point, 'name' | 'directive' | 'reason'> {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    if (at > 0 && text[at - 1] === '\\') continue;
    const [, word, reason = ''] = /^# ?(skip|todo)\w*:?(?: (.*))?$/i.exec(text.slice(at)) ?? [];
    if (word === undefined) continue;
    const directive = word.toUpperCase() as 'SKIP' | 'TODO';
    return { name: unescaped(text.slice(0, at)), directive, reason: reason.trim() };
  }
  return { name: unescaped(text), directive: undefined, reason: '' };
}

const unescaped = (text: string): string => text.replaceAll(/\\([\\#])/g, '$1').trim();

/**
 * The fields of a diagnostic at its outer level, as texts. This is not all of YAML, and need not be: it is what test
 * runners write.
 */
function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  const first = lines[0] ?? '';
  const outer = first.length - first.trimStart().length;
  let block: string | undefined;
  for (const line of lines) {
    const content = line.trimStart();
    const indent = line.length - content.length;
    if (indent > outer && block !== undefined) {
      fields.set(block, `${fields.get(block)}${fields.get(block) === '' ? '' : '\n'}${content}`);
      continue;
    }
    block = undefined;
    const [, name, value] = (indent === outer ? FIELD.exec(content) : null) ?? [];
    if (name === undefined || value === undefined) continue;
    const isBlock = /^[|>][-+]?$/.test(value);
    fields.set(name, isBlock ? '' : withoutQuotes(value));
    if (isBlock) block = name;
  }
  return fields;
}

function withoutQuotes(text: string): string {
  const quote = text[0];
  if (text.length < 2 || (quote !== "'" && quote !== '"') || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replaceAll(/\\(["\\])/g, '$1');
}
