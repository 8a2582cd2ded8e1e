import { type Command, Option } from 'commander';
import { getRun, getRunResult, getRunSummary, listRuns,
  listRunStatuses } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { ListRunsData, Run, RunKind, RunState, RunStatus } from '../../../../generated/runs/sdk/types.gen.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, plainLine, widthOf, writeJson } from '../shared/output.ts';
import { addRunsClientOptions, listed, openRunsClient, type RunsClient, type RunsClientOptions } from './client.ts';
import { findRun, shipNames } from './find.ts';
import { cellName, runTable, statusLine, tookOf } from './present.ts';

interface ListOptions extends RunsClientOptions {
  readonly project?: string;
  readonly state?: RunState;
  readonly kind?: RunKind;
  readonly source?: Run['source']['type'];
  readonly schedule?: string;
  readonly by?: string;
  readonly cellsOf?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function registerList(runs: Command, io: Io): void {
  const command = runs.command('list').description('list runs, newest first').option('-p, --project <id>',
    'only runs of this project').addOption(
      new Option('--state <state>', 'only runs in this state').choices(['queued', 'running', 'cancelling', 'succeeded',
        'failed', 'cancelled']),
    ).addOption(new Option('--kind <kind>', 'only runs of this kind').choices(['diagnostic', 'pipeline', 'ai_text']))
    .addOption(
      new Option('--source <source>', 'only runs that came into being this way').choices(['api', 'retry', 'rerun',
        'schedule', 'alert']),
    ).option('--schedule <name>', 'only runs of this schedule').option('--by <token>',
      'only runs that this token of the configuration has queued; `api` for the token of the service').option(
      '--cells-of <id>',
      'the cells of a run with a matrix; without it they are left out',
    ).option('--limit <n>', 'most runs to list', wholeNumber(1, 100_000), 20).option('--json',
      'write a JSON array instead of a table');
  addRunsClientOptions(command).action(async (options: ListOptions) => {
    await runCommand('runs list', io, () => list(options, io));
  });
}

async function list({ project, state, kind, source, schedule, by, cellsOf, limit, json, ...options }: ListOptions,
  io: Io): Promise<void>
{
  const client = openRunsClient(options);
  const wanted: ListRunsData['query'] = {
    project_id: project,
    state,
    kind,
    source,
    schedule,
    by: by === undefined || by === 'api' || by.startsWith('token:') ? by : `token:${by}`,
    ...(cellsOf === undefined ? { cells: false } : { parent_id: await findRun(client, cellsOf) }),
  };
  const { items, more } = await listed(
    (page) => client.ask(() => listRuns({ client: client.sdk, query: { ...wanted, ...page } })),
    limit,
  );
  if (json) return writeJson(io, items);
  if (items.length === 0) writeLines(io.stderr, ['no runs match']);
  else writeLines(io.stdout, runTable(items, widthOf(io.stdout)));
  if (more) writeLines(io.stderr, [`the newest ${items.length}; --limit lists more`]);
}

interface ShowOptions extends RunsClientOptions {
  readonly result?: boolean;
  readonly json?: boolean;
}

export function registerShow(runs: Command, io: Io): void {
  const command = runs.command('show').description('show one run').argument('<id>',
    'id of the run, or its beginning or end').option('--result', 'write what the run produced instead').option('--json',
      'write JSON');
  addRunsClientOptions(command).action(async (id: string, options: ShowOptions) => {
    await runCommand('runs show', io, () => (options.result ? showResult(id, options, io) : show(id, options, io)));
  });
}

/** `quire runs result`: shows what a run produced. */
export function registerResult(runs: Command, io: Io): void {
  const command = runs.command('result').description('write what a run produced').argument('<id>',
    'id of the run, or its beginning or end').option('--json',
      'write JSON: the whole result, with the `value` of one that is JSON itself');
  addRunsClientOptions(command).action((id: string, options: ShowOptions) =>
    runCommand('runs result', io, () => showResult(id, options, io))
  );
}

async function show(text: string, options: ShowOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const { data: run } = await client.ask(() => getRun({ client: client.sdk, path: { id } }));
  if (options.json) return writeJson(io, run);
  const ship = run.ship_id === null ? '' : (await shipNames(client)).get(run.ship_id) ?? run.ship_id;
  const summary = run.finished_at === null ? undefined : await summaryOf(client, id);
  writeLines(io.stdout, [statusLine(run), ...detailsOf(run, ship), ...(await shownAtForge(client, id)),
    ...(summary === undefined ? [] : ['', ...summary.trimEnd().split('\n').map(plainLine)])]);
}

/** What the forge shows of a run; most runs have nothing there. */
async function shownAtForge(client: RunsClient, id: string): Promise<string[]> {
  const { data } = await listRunStatuses({ client: client.sdk, path: { id } });
  return (data?.data ?? []).map((status) => plainLine(`at ${status.forge}: ${whatOf(status)} (${deliveryOf(status)})`));
}

const whatOf = ({ kind, context, state, number }: RunStatus): string =>
  kind === 'status' ? `${context} ${state}` : `${kind} ${kind === 'comment' ? 'on' : 'of'} #${number}`;

const deliveryOf = ({ delivery, failures, error }: RunStatus): string =>
  [delivery, ...(failures > 0 ? [`failed ${failures} times`] : []), ...(error === null ? [] : [error])].join(', ');

/** Most runs have none. */
async function summaryOf(client: RunsClient, id: string): Promise<string | undefined> {
  const { data } = await getRunSummary({ client: client.sdk, path: { id } });
  return data?.data.content;
}

async function showResult(text: string, options: ShowOptions, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const { data } = await client.ask(() => getRunResult({ client: client.sdk, path: { id } }));
  if (options.json) writeJson(io, data);
  else io.stdout.write(data.content);
}

function approvalOf({ approval }: Run): string {
  if (approval === null) return '';
  const step = approval.step === null ? '' : `${approval.step} `;
  if (approval.state !== 'waiting')
    return `${step}${approval.state}${approval.by === null ? '' : ` by ${approval.by}`}`;
  return `${step}until ${formatMoment(approval.expires_at)}${approval.message === null ? '' : `: ${approval.message}`}`;
}

function sourceOf({ source: { type, by, schedule, alert_labels: labels } }: Run): string {
  const what = schedule === null
    ? (labels === null
      ? type
      : `${type} ${Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(' ')}`)
    : `${type} ${schedule}`;
  return by === null ? what : `${what}, by ${by}`;
}

function detailsOf(run: Run, ship: string): string[] {
  const moment = (seconds: number | null): string => (seconds === null ? '' : formatMoment(seconds));
  const details: [string, string][] = [['project', run.project_id], ['kind',
    run.task === '' ? run.kind : `${run.kind} ${run.task}`], ['queued', moment(run.created_at)], ['started',
    moment(run.started_at)], ['finished', moment(run.finished_at)], ['priority', String(run.priority)], ['runs on',
    run.runs_on.join(', ')], ['group', run.concurrency_group ?? ''], ['approval', approvalOf(run)], ['took',
    tookOf(run)], ['ref', run.ref ?? ''], ['commit', run.commit ?? ''], ['ship', ship], ['retry of',
    run.retry_of ?? ''], ['source', sourceOf(run)], ['job', run.job ?? ''], [
    'skipped',
    run.skipped ?? '',
  ], ['matrix', run.matrix === null ? '' : cellName(run.matrix)], [
    'cell of',
    run.parent_id ?? '',
  ], ['cells', run.cells === 0 ? '' : `${run.cells} (quire runs list --cells-of ${run.id})`], ['log',
    run.logs_expired ? 'expired' : `${run.logs_bytes} bytes${run.log_truncated ? ', cut at its budget' : ''}`]];
  return details.filter(([, value]) => value !== '').map(([name, value]) => `  ${name.padEnd(8)}  ${plainLine(value)}`);
}
