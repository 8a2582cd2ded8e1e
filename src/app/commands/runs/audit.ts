import type { Command } from 'commander';
import { listAudit } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { AuditAction } from '../../../../generated/runs/sdk/types.gen.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { formatMoment, writeJson, writeTable } from '../shared/output.ts';
import { addRunsClientOptions, listed, openRunsClient, type RunsClientOptions } from './client.ts';

interface Options extends RunsClientOptions {
  readonly action?: AuditAction;
  readonly limit: number;
  readonly json?: boolean;
}

const COLUMNS = [{ heading: 'when', minimum: 16 }, { heading: 'who', minimum: 6 }, { heading: 'what', minimum: 7 }, {
  heading: 'of',
  minimum: 12,
}, { heading: 'more', minimum: 10 }];

/** `quire runs audit`: shows the audit log. */
export function registerAudit(runs: Command, io: Io): void {
  const command = runs.command('audit').description('list recorded actions and their actors, newest first').option(
    '--action <action>',
    'only this, such as enqueue, cancel, revoke, project',
  ).option('--limit <n>', 'most entries to list', wholeNumber(1, 100_000), 20).option('--json',
    'write a JSON array instead of a table');
  addRunsClientOptions(command).action((options: Options) => runCommand('runs audit', io, () => list(options, io)));
}

async function list({ action, limit, json, ...options }: Options, io: Io): Promise<void> {
  const client = openRunsClient(options);
  const { items } = await listed(
    (page) => client.ask(() => listAudit({ client: client.sdk, query: { ...page, action } })),
    limit,
  );
  if (json) return writeJson(io, items);
  const rows = items.map((
    { at, actor, action: what, target, detail },
  ) => [formatMoment(at), actor, what, target,
    Object.entries(detail).map(([name, value]) => `${name}=${textOf(value)}`).join(' ')]
  );
  writeTable(io, COLUMNS, rows, 'nothing was done');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
