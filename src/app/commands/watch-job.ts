import type { Command } from 'commander';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import { CommandError, InterruptedError, runCommand } from './shared/command-error.ts';
import { addClientOptions, type ClientOptions } from './shared/connection.ts';
import { type Io, untilInterrupted } from './shared/io.ts';
import { addOutputOptions, formatCount, note, type OutputOptions, plural, writeJson } from './shared/output.ts';
import { openService } from './shared/service.ts';

type Options = ClientOptions & OutputOptions;

const EVERY_MS = 1000;

/** `quire jobs watch`: waits for a job that loads documents, and shows its progress. */
export function registerWatch(jobs: Command, io: Io): void {
  const command = jobs.command('watch').summary('wait until a job has ended, and say how far it is').description(
    'Wait until a job has ended, and say how far it is. A job that a restart of the server interrupts is followed ' +
      'to the one that continues it. The status is 0 when all documents were stored.',
  ).argument('<id>', 'id of the job');
  addClientOptions(addOutputOptions(command)).action((id: string, options: Options) =>
    runCommand('jobs watch', io, () => untilInterrupted((signal) => watch(id, options, io, signal)))
  );
}

async function watch(id: string, options: Options, io: Io, signal: AbortSignal,
  timer: Timer = systemTimer): Promise<void>
{
  const service = openService(options);
  for (let last = -1, followed = id, refused = 0;;) {
    const job = await service.call('getBulkIngest', { id: followed }, { signal });
    if (job.continuedAs !== undefined) {
      note(io, options, [
        `${job.error ?? job.status}; ${job.continuedAs} continues with ${
          plural(job.total - job.processed, 'document')
        }`,
      ]);
      refused += job.failed;
      followed = job.continuedAs;
      continue;
    }
    const hasEnded = !['pending', 'processing'].includes(job.status);
    if (job.processed !== last && !hasEnded)
      note(io, options, [`${formatCount(job.processed)} of ${plural(job.total, 'document')}`]);
    last = job.processed;
    if (!hasEnded) await timer.sleep(EVERY_MS, signal);
    if (signal.aborted) throw new InterruptedError();
    if (!hasEnded) continue;
    if (options.json === true) writeJson(io, job);
    note(io, options, [
      `${job.status}: added ${formatCount(job.added)}, updated ${formatCount(job.updated)}, failed ${
        formatCount(job.failed)
      }`,
    ]);
    if (job.status !== 'completed')
      throw new CommandError(`the job ended as ${job.status}${job.error === undefined ? '' : `: ${job.error}`}`);
    if (job.failed + refused > 0)
      throw new CommandError(
        `${plural(job.failed + refused, 'document')} could not be stored: quire jobs show ${
          job.failed > 0 ? followed : id
        }`,
      );
    return;
  }
}
