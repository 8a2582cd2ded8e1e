import { type Command, InvalidArgumentError, Option } from 'commander';
import { searchLogs } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { FoundLine, RunState } from '../../../../generated/runs/sdk/types.gen.ts';
import { parseDuration } from '../../../lib/duration.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, plainLine } from '../shared/output.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';

interface SearchOptions extends RunsClientOptions {
  readonly project?: string;
  readonly state?: RunState;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly json?: boolean;
}

const STATES = ['queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const;
const EXAMPLES = `
Lines that contain each of the words are found, in upper or lower case, of the newest runs first.

Examples:
  $ quire runs logs search "connection refused" --project alpha --since 7d
  $ quire runs logs search ENOSPC --state failed --limit 20
`;

/** Lines of one response. */
const PAGE = 100;

/** Unix seconds of a moment, or of a duration before now. */
function moment(text: string): number {
  const back = parseDuration(text);
  if (back !== undefined) return Math.floor((Date.now() - back) / 1000);
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at) || at < 0)
    throw new InvalidArgumentError('Expected a duration such as 7d or 12h, or a moment such as 2027-01-31.');
  return Math.floor(at / 1000);
}

/** `quire runs logs search`: lines with these words in the logs of all runs. */
export function registerSearch(logs: Command, io: Io): void {
  const command = logs.command('search').description('search the logs of all runs for words').argument('<words...>',
    'words that a line must contain').option('--project <id>', 'only runs of this project').addOption(
      new Option('--state <state>', 'only runs in this state').choices(STATES),
    ).option('--since <time>', 'only runs that were queued since then: 7d, 12h or 2027-01-31', moment).option(
      '--until <time>',
      'only runs that were queued before then',
      moment,
    ).option('--limit <n>', 'most lines that are written', wholeNumber(1, 100_000), 100).option('--json',
      'write one JSON object a line');
  addRunsClientOptions(command).addHelpText('after', EXAMPLES).action((words: string[], _options: SearchOptions,
    self: Command) =>
    // `logs` has options of the same names, which take what is written after `search`.
    runCommand('runs logs search', io, () => search(words.join(' '), self.optsWithGlobals<SearchOptions>(), io))
  );
}

async function search(q: string, { project, state, since, until, limit, json, ...options }: SearchOptions,
  io: Io): Promise<void>
{
  const client = openRunsClient(options);
  let before: string | undefined;
  let found = 0;
  let told = performance.now();
  do {
    const query = { q, project_id: project, state, since, until, limit: Math.min(PAGE, limit - found), before };
    const { data, next_cursor: next, searched_until: until_ } = await client.ask(() =>
      searchLogs({ client: client.sdk, query })
    );
    writeLines(io.stdout, data.map((line) => (json ? JSON.stringify(line) : textOf(line))));
    found += data.length;
    before = next ?? undefined;
    if (before !== undefined && until_ !== null && performance.now() - told > 5000) {
      told = performance.now();
      writeLines(io.stderr, [`— searched back to ${formatMoment(until_)}`]);
    }
  } while (before !== undefined && found < limit);
  if (found === 0) writeLines(io.stderr, ['no line has these words']);
  else if (before !== undefined) writeLines(io.stderr, [`only the first ${limit} lines are written (--limit)`]);
}

const textOf = ({ run_id: id, task, time, step, message }: FoundLine): string =>
  plainLine(`${id}  ${time}  ${task}${step === null ? '' : ` [${step}]`}  ${message}`);
