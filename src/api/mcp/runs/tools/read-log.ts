import type { LogEvent, Run } from '../../../../../generated/runs/sdk/types.gen.ts';
import { bytesOf } from '../../models/fitting.ts';
import { clipped, findRun, roomBeside, RUN_ID, type RunsService, type RunTool } from '../run-tool.ts';

/** Events of a page of the API. */
const PAGE = 100;
/** Pages that one call reads, besides those by which it finds the end. */
const MAX_PAGES = 60;
/** Pages with lines of the step: the beginning of a longer one is not shown. */
const MAX_SHOWN_PAGES = 30;
/** Characters of a line that are shown. */
const MAX_LINE = 1000;

export const readLog: RunTool = {
  name: 'read_log',
  title: 'Read the log of a run',
  description:
    'Returns the end of the failed step of a run, or of its whole log where none has failed. Name a step for ' +
    'another one, or an offset to read on from there.',
  properties: {
    id: RUN_ID,
    step: { type: 'string', description: 'Only lines of this step.' },
    offset: { type: 'integer', minimum: 0, description: 'Read forward from this line.' },
    attempt: { type: 'integer', minimum: 1, description: 'The attempt; the last one when absent.' },
  },
  required: ['id'],
  example: { id: '019b45a500007c3e9a41d2f0b6e85713', step: 'test' },
  hint: 'read',
  needs: ['getRun', 'listRuns', 'listRunLogs'],
  async run(args, service) {
    const run = await findRun(service, args.text('id'));
    const offset = args.get<number>('offset');
    const attempt = args.get<number>('attempt') ?? run.attempt;
    const step = args.get<string>('step') ?? (offset === undefined ? failedStep(run, attempt) : undefined);
    const log = new Log(service, run.id, attempt, step);
    const head = { id: run.id, state: run.state, attempt, ...(step !== undefined && { step }) };
    const room = roomBeside(head, service);
    return { ...head, ...await (offset === undefined ? log.end(room) : log.from(offset, room)) };
  },
};

const failedStep = ({ error }: Run, attempt: number): string | undefined =>
  error !== undefined && error.attempt === attempt ? error.step ?? undefined : undefined;

interface Line {
  readonly offset: number;
  readonly text: string;
  readonly bytes: number;
}

class Log {
  readonly #service: RunsService;
  readonly #where: { readonly id: string; readonly attempt: number };
  readonly #step: string | undefined;

  constructor(service: RunsService, id: string, attempt: number, step: string | undefined) {
    this.#service = service;
    this.#where = { id, attempt };
    this.#step = step;
  }

  /** The last lines, and a note that says how to read those before them. */
  async end(room: number): Promise<object> {
    const end = await this.#findEnd();
    let lines: Line[] = [];
    let bytes = 0;
    let from = end;
    let shown = 0;
    for (let pages = 0; from > 0 && pages < MAX_PAGES && shown < MAX_SHOWN_PAGES; pages++) {
      const start = Math.max(0, from - PAGE);
      const page = await this.#lines(start, from);
      // All lines of a step stand together.
      const isOver = page.length === 0 && lines.length > 0;
      if (page.length > 0) shown += 1;
      lines = [...page, ...lines];
      bytes += page.reduce((sum, line) => sum + line.bytes, 0);
      from = start;
      if (isOver) from = 0;
    }
    const isWhole = from === 0;
    if (isWhole && bytes <= room) return { lines: textOf(lines) };
    return cut(lines, room, isWhole ? undefined : 0);
  }

  /** The lines from an offset on, and the offset at which those that did not fit begin. */
  async from(offset: number, room: number): Promise<object> {
    const lines: Line[] = [];
    let bytes = 0;
    let at = offset;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const { data, next_offset: next, complete } = await this.#page(at);
      for (const line of this.#shown(data, at)) {
        if (bytes + line.bytes > room && lines.length > 0) return { lines: textOf(lines), ...readOn(line.offset) };
        lines.push(line);
        bytes += line.bytes;
      }
      at = next;
      if (data.length < PAGE) return { lines: textOf(lines), ...(!complete && { next_offset: next }) };
    }
    return { lines: textOf(lines), ...readOn(at) };
  }

  #page(offset: number) {
    return this.#service.call('listRunLogs', { ...this.#where, offset });
  }

  async #lines(from: number, to: number): Promise<Line[]> {
    const { data } = await this.#page(from);
    return this.#shown(data.slice(0, to - from), from);
  }

  #shown(events: readonly LogEvent[], first: number): Line[] {
    return events.flatMap((event, at) => {
      if (this.#step !== undefined && event.step !== this.#step) return [];
      const step = this.#step === undefined && event.step !== null ? `[${event.step}] ` : '';
      const text = `${step}${clipped(event.message, MAX_LINE)}`;
      return [{ offset: first + at, text, bytes: bytesOf(text) }];
    });
  }

  /** The offset after the last line: twice as far until there is none, then by halves. */
  async #findEnd(): Promise<number> {
    let [some, none] = [0, PAGE];
    for (;;) {
      const { data } = await this.#page(none);
      if (data.length === 0) break;
      if (data.length < PAGE) return none + data.length;
      [some, none] = [none, none * 2];
    }
    while (none - some > PAGE) {
      const middle = some + Math.floor((none - some) / 2 / PAGE) * PAGE;
      const { data } = await this.#page(middle);
      if (data.length > 0 && data.length < PAGE) return middle + data.length;
      if (data.length === 0) none = middle;
      else some = middle;
    }
    return some + (await this.#page(some)).data.length;
  }
}

const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n');
const readOn = (offset: number): object => ({
  next_offset: offset,
  note: `the log goes on: call read_log with offset ${offset}`,
});

/**
 * The beginning and the end of lines, with a line between them that says how to read the others; the end has most of
 * the room. `before`: lines from there to the first one were not read.
 */
function cut(lines: readonly Line[], room: number, before: number | undefined): object {
  const head: Line[] = [];
  let bytes = 0;
  if (before === undefined) {
    for (const line of lines) {
      if ((bytes += line.bytes) > room / 4) break;
      head.push(line);
    }
  }
  const left = room - head.reduce((sum, line) => sum + line.bytes, 0);
  let tail = lines.length;
  for (bytes = 0; tail > head.length && bytes + lines[tail - 1]!.bytes <= left; tail--) bytes += lines[tail - 1]!.bytes;
  if (tail <= head.length) return { lines: textOf(lines) };
  const from = head.length === 0 ? before ?? lines[0]!.offset : lines[head.length]!.offset;
  const gap = `[… lines ${from} to ${lines[tail]?.offset ?? from} are left out: call read_log with offset ${from} …]`;
  return { lines: [...head.map(({ text }) => text), gap, ...lines.slice(tail).map(({ text }) => text)].join('\n') };
}
