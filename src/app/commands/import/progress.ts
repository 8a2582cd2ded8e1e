import { SingleBar } from 'cli-progress';
import type { Clock } from '../../../lib/clock.ts';
import { type OutputStream, writeLines } from '../shared/io.ts';
import { formatBytes, formatCount, formatRate, plural } from '../shared/output.ts';
import type { Source } from './source.ts';

/** Shows the progress of an import. */
interface Progress {
  /** `position` is in the unit of the source; `documents` is the number of finished documents. */
  update(position: number, documents: number): void;
  /** Leaves the last state visible. Safe to call twice. */
  stop(): void;
}

const SILENT: Progress = { update: () => undefined, stop: () => undefined };
const LINE_EVERY = 3000;

/** A bar on a terminal, otherwise a line every few seconds, and nothing if `quiet`. */
export function showProgress(source: Pick<Source, 'unit' | 'total'>, stream: OutputStream, clock: Clock,
  quiet: boolean): Progress
{
  if (quiet) return SILENT;
  return stream.isTTY === true && source.total !== undefined
    ? bar(source.total, stream, clock)
    : lines(source, stream, clock);
}

function bar(total: number, stream: OutputStream, clock: Clock): Progress {
  const started = clock.now();
  const single = new SingleBar({
    stream: stream as NodeJS.WriteStream,
    format: '{bar} {percentage}%  {documents}  {rate}/s  {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    // The command handles interrupts itself: batches in progress are finished first.
    gracefulExit: false,
  });
  single.start(total, 0, { documents: plural(0, 'document'), rate: '0' });
  return {
    update(position, documents) {
      single.update(Math.min(position, total), {
        documents: plural(documents, 'document'),
        rate: formatRate(documents, (clock.now() - started) / 1000),
      });
    },
    stop: () => single.stop(),
  };
}

function lines({ total, unit }: Pick<Source, 'unit' | 'total'>, stream: OutputStream, clock: Clock): Progress {
  const started = clock.now();
  let last = started;
  return {
    update(position, documents) {
      const now = clock.now();
      if (now - last < LINE_EVERY) return;
      last = now;
      const share = total === undefined || total === 0 ? '' : `${Math.floor((100 * position) / total)}%, `;
      const read = unit === 'bytes' ? `${formatBytes(position)} read` : `${formatCount(position)} files read`;
      writeLines(stream, [
        `${share}${plural(documents, 'document')}, ${formatRate(documents, (now - started) / 1000)}/s, ${read}`,
      ]);
    },
    stop: () => undefined,
  };
}
