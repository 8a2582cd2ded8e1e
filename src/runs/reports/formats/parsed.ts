/** How a test ended. A finding of the level `error` is `failed`, any other a `warning`, a suppressed one `skipped`. */
export type TestState = 'passed' | 'failed' | 'error' | 'warning' | 'skipped';

/** A result as its report has it. Texts are cut, and empty if the report has none. */
export interface ParsedResult {
  readonly kind: 'test' | 'finding';
  readonly state: TestState;
  readonly suite: string;
  readonly className: string;
  readonly name: string;
  readonly file: string;
  readonly line: number | null;
  /** Milliseconds. */
  readonly durationMs: number | null;
  /** How often the test ran within the report. */
  readonly attempts: number;
  /** It passed and failed within the report. */
  readonly flaky: boolean;
  readonly level: 'error' | 'warning' | 'note' | 'none' | null;
  readonly message: string;
  readonly detail: string;
}

/** What a report says; `left`: results beyond the limit, which are not among `results`. */
export interface ParsedReport {
  readonly results: readonly ParsedResult[];
  readonly left: number;
}

/** A report that cannot be read; the message completes "the report ...". */
export class UnreadableReport extends Error {}

/** Characters of names, of a message and of a detail. */
const MAX_NAME = 512;
const MAX_MESSAGE = 2000;
const MAX_DETAIL = 16_000;

/** Characters of all details of a report; the details of further results are left out. */
const MAX_DETAILS = 4 * 2 ** 20;

/** Larger line numbers and durations are errors of the tool that wrote the report. */
const MAX_LINE = 2 ** 31 - 1;
const MAX_DURATION_MS = 2 ** 40;

/** The end is as telling as the beginning: it has the cause of a chain of exceptions. */
export function cutInMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 5) / 2);
  return `${text.slice(0, half)}\n...\n${text.slice(text.length - half)}`.toWellFormed();
}

const cutAtEnd = (text: string, most: number): string =>
  (text.length <= most ? text : `${text.slice(0, most - 3)}...`).toWellFormed();

/** PostgreSQL stores no NUL, and other control characters would only disturb a terminal. Line breaks and tabs stay. */
const shown = (text: string): string => text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd');

/** Of a file in the folder of an attempt the path below that folder, which is the same in all runs. */
const WORK_FOLDER = /^(?:file:\/\/)?\/(?:[^/]*\/)*?[0-9a-f]{32}\.\d{1,9}\/src\//;

/** Collects the results of a report, within its limits. */
export class ResultList {
  readonly #most: number;
  readonly #results: ParsedResult[] = [];
  #left = 0;
  #details = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#results.length >= this.#most;
  }

  add(given: Partial<ParsedResult> & Pick<ParsedResult, 'kind' | 'state'>): void {
    if (this.isFull) {
      this.#left += 1;
      return;
    }
    const detail = this.#details < MAX_DETAILS ? cutInMiddle(shown(given.detail ?? '').trim(), MAX_DETAIL) : '';
    this.#details += detail.length;
    const { line = null, durationMs = null } = given;
    const named = (text = ''): string => cutAtEnd(shown(text).trim(), MAX_NAME);
    this.#results.push({
      kind: given.kind,
      state: given.state,
      suite: named(given.suite),
      className: named(given.className),
      name: named(given.name) || '(without a name)',
      file: named((given.file ?? '').slice(0, 4096).replace(WORK_FOLDER, '').replace(/^\.\//, '')),
      line: line !== null && Number.isInteger(line) && line >= 0 && line <= MAX_LINE ? line : null,
      durationMs: durationMs !== null && durationMs >= 0 ? Math.min(Math.round(durationMs), MAX_DURATION_MS) : null,
      attempts: given.attempts ?? 1,
      flaky: given.flaky ?? false,
      level: given.level ?? null,
      message: cutAtEnd(shown(given.message ?? '').trim(), MAX_MESSAGE),
      detail,
    });
  }

  done(): ParsedReport {
    return { results: this.#results, left: this.#left };
  }
}

/** A decimal number; null for everything else. */
export function decimal(text: string | undefined): number | null {
  return text !== undefined && /^[+-]?\d{1,15}(?:\.\d{0,20})?(?:[eE][+-]?\d{1,2})?$/.test(text) ? Number(text) : null;
}
