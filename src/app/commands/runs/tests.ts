import { type Command, Option } from 'commander';
import { listProjectTests, listRunTests, listTestHistory } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { ListRunTestsResponse, ProjectTest, TestResult,
  TestState } from '../../../../generated/runs/sdk/types.gen.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, plainLine, plural, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, listed, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';
import { findRun } from './find.ts';

interface TestOptions extends RunsClientOptions {
  readonly attempt?: number;
  readonly state?: TestState;
  readonly words?: string;
  readonly detail?: boolean;
  readonly project?: string;
  readonly flaky?: boolean;
  readonly sort?: 'failing' | 'slowest' | 'recent';
  readonly history?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const STATES = ['passed', 'failed', 'error', 'warning', 'skipped'] as const;
const ORDERS = ['failing', 'slowest', 'recent'] as const;
const EXAMPLES = `
Examples:
  $ quire runs tests 6284                          # failures first
  $ quire runs tests 6284 --state failed --detail
  $ quire runs tests --project alpha --flaky
  $ quire runs tests --project alpha --sort slowest --limit 20
  $ quire runs tests --project alpha --history 9f86d081884c7d659a2feaa0c55ad015
`;

/** `quire runs tests`: results of test reports, of a run or of all runs of a project. */
export function registerTests(runs: Command, io: Io): void {
  const command = runs.command('tests').description('list the test results of a run, or the tests of a project')
    .argument('[id]', 'id of the run, or its beginning or end').option('--attempt <n>',
      'results of this attempt; without it of the current one', wholeNumber(1, 1_000_000)).addOption(
      new Option('--state <state>', 'only tests in this state').choices(STATES),
    ).option('--words <text>', 'only tests whose suite, class, name or file contains these words').option('--detail',
      'write the details of failures, too').option('--project <id>', 'the tests of a project over all its runs').option(
      '--flaky',
      'with --project: only those that passed and failed for one commit',
    ).addOption(new Option('--sort <order>', 'with --project: which are first, failing without it').choices(ORDERS))
    .option('--history <test>', 'with --project: the results of the test with this id').option('--limit <n>',
      'most tests that are listed', wholeNumber(1, 1_000_000), 200).option('--json', 'write JSON');
  addRunsClientOptions(command).addHelpText('after', EXAMPLES).action((id: string | undefined, options: TestOptions) =>
    runCommand('runs tests', io, async () => {
      if ((id === undefined) === (options.project === undefined))
        throw new CommandError('name either a run or, by --project, a project');
      const client = openRunsClient(options);
      if (id !== undefined) await ofRun(client, await findRun(client, id), options, io);
      else if (options.history !== undefined) await history(client, options.project!, options.history, options, io);
      else await ofProject(client, options.project!, options, io);
    })
  );
}

const nameOf = ({ suite, class: className, name }: Pick<TestResult, 'suite' | 'class' | 'name'>): string =>
  [suite, className === suite ? '' : className, name].filter((text) => text !== '').join(' › ');

const duration = (ms: number | null): string =>
  ms === null ? '' : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;

async function ofRun(client: RunsClient, id: string, { attempt, state, words, limit, json, detail }: TestOptions,
  io: Io): Promise<void>
{
  let first: ListRunTestsResponse | undefined;
  const { items, more } = await listed(async (page) => {
    const answer = await client.ask(() =>
      listRunTests({ client: client.sdk, path: { id }, query: { ...page, attempt, state, q: words } })
    );
    first ??= answer;
    return answer;
  }, limit);
  const { totals, slowest, reports } = first!;
  if (json) return writeJson(io, { totals, slowest, reports, tests: items });
  if (reports.length === 0) return writeLines(io.stderr, ['the run has no test reports (`reports` of its steps)']);
  for (const test of items) writeLines(io.stdout, linesOf(test, detail === true));
  if (more) writeLines(io.stderr, [`only the first ${limit} are listed (--limit)`]);
  const counts = STATES.filter((each) => totals![each] > 0).map((each) => `${totals![each]} ${each}`);
  writeLines(io.stderr, [
    `${plural(totals!.total, 'result')}: ${counts.join(', ') || 'none'}${
      totals!.flaky > 0 ? `, ${totals!.flaky} flaky` : ''
    }`,
  ]);
}

function linesOf(test: TestResult, detail: boolean): string[] {
  const place = test.file === null ? '' : `  ${test.file}${test.line === null ? '' : `:${test.line}`}`;
  const facts = [duration(test.duration_ms), test.attempts > 1 ? `${test.attempts} attempts` : '',
    test.flaky ? 'flaky' : ''].filter((text) => text !== '').join(', ');
  const line = `${test.state.padEnd(7)}  ${nameOf(test)}${place}${facts === '' ? '' : `  (${facts})`}`;
  const isShown = test.state !== 'passed';
  return [plainLine(line), ...(isShown && test.message !== null ? [`         ${plainLine(test.message)}`] : []),
    ...(isShown && detail && test.detail !== null
      ? test.detail.split('\n').map((text) => `         | ${text.replaceAll(/\p{Cc}/gu, ' ')}`)
      : [])];
}

const TESTS = [{ heading: 'test', minimum: 24 }, { heading: 'passes', minimum: 6 }, { heading: 'of', minimum: 3 }, {
  heading: 'last',
  minimum: 7,
}, { heading: 'mean', minimum: 8 }, { heading: 'failed last', minimum: 16 }, { heading: 'id', minimum: 32 }];

async function ofProject(client: RunsClient, id: string, { flaky, state, sort, words, limit, json }: TestOptions,
  io: Io): Promise<void>
{
  const query = { flaky, state, sort, q: words };
  const { items, more } = await listed(
    (page) => client.ask(() => listProjectTests({ client: client.sdk, path: { id }, query: { ...query, ...page } })),
    limit,
  );
  if (json) return writeJson(io, items);
  writeTable(io, TESTS, items.map(rowOf), flaky ? 'no test is flaky' : 'no run of the project has reported such tests');
  if (more) writeLines(io.stderr, [`only the first ${limit} are listed (--limit)`]);
}

function rowOf(test: ProjectTest): string[] {
  const where = [test.pipeline, test.step,
    ...Object.entries(test.matrix ?? {}).map(([key, value]) => `${key}=${value}`)];
  return [`${nameOf(test)} [${where.filter((text) => text !== '').join(' ')}]${test.flaky ? ' flaky' : ''}`,
    test.pass_rate === null ? '' : `${Math.floor(test.pass_rate * 100)} %`, String(test.results), test.last_state,
    duration(test.mean_duration_ms), test.failed_at === null ? '' : formatMoment(test.failed_at), test.id];
}

const HISTORY = [{ heading: 'when', minimum: 16 }, { heading: 'state', minimum: 7 }, { heading: 'took', minimum: 8 }, {
  heading: 'run',
  minimum: 32,
}, { heading: 'commit', minimum: 10 }, { heading: 'message', minimum: 16 }];

async function history(client: RunsClient, id: string, test: string, { limit, json }: TestOptions,
  io: Io): Promise<void>
{
  const { items } = await listed(
    (page) => client.ask(() => listTestHistory({ client: client.sdk, path: { id }, query: { ...page, test } })),
    limit,
  );
  if (json) return writeJson(io, items);
  writeTable(io, HISTORY,
    items.map((
      entry,
    ) => [formatMoment(entry.created_at), `${entry.state}${entry.flaky ? ', flaky' : ''}`, duration(entry.duration_ms),
      entry.run_id, entry.commit?.slice(0, 10) ?? '', entry.message ?? '']
    ), `the project ${id} has no results of this test`);
}
