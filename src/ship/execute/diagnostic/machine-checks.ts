import { statfs, unlink, writeFile } from 'node:fs/promises';
import { availableParallelism, release } from 'node:os';
import { join } from 'node:path';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { formatDuration } from '../../../lib/duration.ts';
import { broken, type Check, doubtful, fine } from './finding.ts';

const MiB = 2 ** 20;
const MIN_DISK = 1024 * MiB;
const LOW_MEMORY = 256 * MiB;
/**
 * Above this difference of clocks, times in the log look wrong; above five minutes, certificates of a new ship seem not
 * valid yet.
 */
const ODD_CLOCK_MS = 5_000;
const WRONG_CLOCK_MS = 300_000;

export const versions: Check = async ({ version }) =>
  fine(
    `quire ${version}, node ${process.version}, ${process.platform}/${process.arch} ${release()}, ` +
      `${availableParallelism()} processors`,
  );

export const clock: Check = async ({ serverOffsetMs }) => {
  if (serverOffsetMs === undefined) return fine("this machine's clock is the service's");
  const offset = serverOffsetMs();
  if (offset === undefined) return doubtful("it is not known yet how far the service's clock is off");
  const text = `the service's clock is ${formatDuration(Math.round(Math.abs(offset)))} ${
    offset < 0 ? 'behind' : 'ahead'
  }`;
  return Math.abs(offset) >= WRONG_CLOCK_MS
    ? broken(text)
    : Math.abs(offset) >= ODD_CLOCK_MS
    ? doubtful(text)
    : fine(text);
};

export const disk: Check = async ({ workDir }) => {
  const { bavail, bsize } = await statfs(workDir);
  const free = bavail * bsize;
  const text = `${size(free)} are free in ${workDir}`;
  return free < MIN_DISK ? broken(`${text}, less than ${formatByteSize(MIN_DISK)}`) : fine(text);
};

export const memory: Check = async () => {
  const available = process.availableMemory();
  const text = `${size(available)} of memory are available`;
  return available < LOW_MEMORY ? doubtful(text) : fine(text);
};

export const workFolder: Check = async ({ workDir }, { ref }) => {
  const file = join(workDir, `.write-${ref.runId}.${ref.attempt}`);
  try {
    await writeFile(file, 'quire', { mode: 0o600 });
  } finally {
    await unlink(file).catch(() => undefined);
  }
  return fine(`${workDir} can be written to`);
};

export const sandbox: Check = async ({ sandbox: name, sandboxes, users }) => {
  const chosen = await sandboxes.choose(name);
  if ('reason' in chosen) return broken(chosen.reason);
  const what = `the sandbox is ${chosen.name}`;
  if (users !== undefined) return fine(`${what}; each run has a user of its own`);
  return chosen.name === 'none' || chosen.name === 'systemd'
    ? doubtful(`${what}; steps run as the user of the service, as it is configured, and can read what that may read`)
    : fine(what);
};

function size(bytes: number): string {
  return `${Math.floor(bytes / MiB)} MiB`;
}
