import type { Command } from 'commander';
import { listAudit } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { AuditAction, AuditEntry, ListAuditResponse } from '../../../../generated/runs/sdk/types.gen.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { formatMoment, renderTable } from '../shared/output.ts';
import { addRunsClientOptions, openRunsClient, type RunsClientOptions } from './client.ts';

interface Options extends RunsClientOptions {
  readonly action?: AuditAction;
  readonly limit: number;
  readonly json?: boolean;
}

/** Entries of one response. */
const PAGE = 100;
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
  const entries: AuditEntry[] = [];
  let before: string | null = null;
  do {
    const query = {
      limit: Math.min(PAGE, limit - entries.length),
      ...(action !== undefined && { action }),
      ...(before !== null && { before }),
    };
    const page: ListAuditResponse = await client.ask(() => listAudit({ client: client.sdk, query }));
    entries.push(...page.data);
    before = page.next_cursor;
  } while (before !== null && entries.length < limit);
  if (json) return void io.stdout.write(`${JSON.stringify(entries, null, 2)}\n`);
  const rows = entries.map((
    { at, actor, action: what, target, detail },
  ) => [formatMoment(at), actor, what, target,
    Object.entries(detail).map(([name, value]) => `${name}=${textOf(value)}`).join(' ')]
  );
  if (rows.length > 0)
    writeLines(io.stdout, renderTable(COLUMNS, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
  else writeLines(io.stderr, ['nothing was done']);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
