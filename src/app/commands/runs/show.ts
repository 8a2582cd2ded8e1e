import type { Command } from 'commander';
import { getRun, getRunResult } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { Run } from '../../../../generated/runs/sdk/types.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import { formatMoment } from '../shared/format.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { plainLine } from '../shared/table.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';
import { findRun, shipNames } from './find.ts';
import { cellName, statusLine, tookOf } from './present.ts';

interface Options extends RunsClientOptions {
  readonly result?: boolean;
  readonly json?: boolean;
}

export function registerShow(runs: Command, io: Io): void {
  const command = runs.command('show').description('show one run').argument('<id>',
    'id of the run, or its beginning or end').option('--result', 'write what the run produced instead').option('--json',
      'write JSON');
  addRunsClientOptions(command).action(async (id: string, options: Options) => {
    await runCommand('runs show', io, () => (options.result ? showResult(id, options, io) : show(id, options, io)));
  });
}

/** `quire runs result`: shows what a run produced. */
export function registerResult(runs: Command, io: Io): void {
  const command = runs.command('result').description('write what a run produced').argument('<id>',
    'id of the run, or its beginning or end').option('--json',
      'write JSON: the whole result, with the `value` of one that is JSON itself');
  addRunsClientOptions(command).action((id: string, options: Options) =>
    runCommand('runs result', io, () => showResult(id, options, io))
  );
}

async function show(text: string, options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const { data: run } = await client.ask(() => getRun({ client: client.sdk, path: { id } }));
  if (options.json) io.stdout.write(`${JSON.stringify(run, null, 2)}\n`);
  else writeLines(io.stdout, [statusLine(run),
      ...detailsOf(run, run.ship_id === null ? '' : (await shipNames(client)).get(run.ship_id) ?? run.ship_id)]);
}

async function showResult(text: string, options: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const id = await findRun(client, text);
  const { data } = await client.ask(() => getRunResult({ client: client.sdk, path: { id } }));
  io.stdout.write(options.json ? `${JSON.stringify(data, null, 2)}\n` : data.content);
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
    run.retry_of ?? ''], ['source', sourceOf(run)], ['matrix', run.matrix === null ? '' : cellName(run.matrix)], [
    'cell of',
    run.parent_id ?? '',
  ], ['cells', run.cells === 0 ? '' : `${run.cells} (quire runs list --cells-of ${run.id})`], ['log',
    run.logs_expired ? 'expired' : `${run.logs_bytes} bytes${run.log_truncated ? ', cut at its budget' : ''}`]];
  return details.filter(([, value]) => value !== '').map(([name, value]) => `  ${name.padEnd(8)}  ${plainLine(value)}`);
}
