import type { CommitStatus } from '../forge/port.ts';
import type { RunRecord } from '../queue/port.ts';
import { cell, cutMarkdown, harmless, hidden } from './markdown.ts';

/** Most characters of a comment: GitHub takes 65,536, Bitbucket 32,768. */
const MAX_COMMENT = 30_000;
const SHOWN_COMMIT = 12;

const SIGNS: Readonly<Record<CommitStatus['state'], string>> = {
  pending: '⏳',
  running: '▶️',
  success: '✅',
  failure: '❌',
  error: '⚠️',
  cancelled: '⏹️',
};

export interface Shown {
  readonly status: CommitStatus;
  /** Empty for none. */
  readonly summary: string;
}

/** The comment with the results of all pipelines of a commit: a table, and the summaries. */
export function resultsComment(commit: string, marker: string, results: readonly Shown[]): string {
  const rows = results.map(({ status: { state, context, description, targetUrl } }) =>
    `| ${SIGNS[state]} | ${targetUrl === '' ? cell(context) : `[${cell(context)}](${targetUrl})`} | ${
      cell(description)
    } |`
  );
  const head = [hidden(marker), '', `Results of ${commit.slice(0, SHOWN_COMMIT)}`, '', '| | pipeline | result |',
    '|---|---|---|', ...rows].join('\n');
  const parts = results.filter(({ summary }) => summary !== '');
  const share = Math.floor(Math.max(0, MAX_COMMENT - head.length) / Math.max(1, parts.length)) - 200;
  return [head,
    ...parts.map(({ status, summary }) =>
      share <= 0 ? '' : `#### ${cell(status.context)}\n\n${cutMarkdown(harmless(summary), share)}`
    )].join('\n\n');
}

export interface Outcome {
  readonly run: RunRecord;
  readonly status: CommitStatus;
  /** Text that the run has produced, empty for none. */
  readonly result: string;
  readonly summary: string;
}

/** The comment on an issue that says how its run ended. */
export function outcomeComment(marker: string, { run, status, result, summary }: Outcome): string {
  const name = status.targetUrl === ''
    ? `The run of ${cell(run.task)}`
    : `[The run of ${cell(run.task)}](${status.targetUrl})`;
  const text = summary || result;
  return [hidden(marker), '', `${SIGNS[status.state]} ${name} ${cell(status.description)}.`,
    ...(text === '' ? [] : ['', cutMarkdown(harmless(text), MAX_COMMENT - 1000)])].join('\n');
}
