import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ReportFiles } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { Pace } from '../../../lib/pace.ts';
import { bytesOf, findFiles, openInside } from '../files.ts';
import type { Masker } from '../mask/masker.ts';
import type { StepSetting } from './run-step.ts';
import { isPlainFolder } from './work-folder.ts';

/** Larger reports are not read: they are in memory while they are masked and sent. */
const MAX_BYTES = 16 * 2 ** 20;
/** Reports of one step. */
const MAX_FILES = 500;
/** Bytes of a message to the server. */
const CHUNK = 256 * 1024;

/**
 * Sends the test reports that a step, or the pipeline, names to the server, with secrets masked. A report that cannot
 * be sent or read changes nothing about the run: a line of the log says why. `step` is absent for those of the
 * pipeline.
 */
export async function sendReports(setting: StepSetting, reports: readonly ReportFiles[], step?: string): Promise<void> {
  const { work, folder } = setting;
  const { output, limits } = work;
  if (reports.length === 0 || limits.ended.aborted) return;
  const warn = (message: string) => output.note('warn', message, step ?? null);
  if (!await isPlainFolder(folder.source)) return warn('the test reports are not read: the work folder was replaced');
  let sent = 0;
  let left = MAX_FILES;
  for (const { format, patterns } of reports) {
    const names = await findReports(setting, patterns, warn);
    for (const name of names.slice(0, left)) {
      const reason = await sendOne(setting, { format, name, step: step ?? '' }).catch((error: Error) => error.message);
      if (limits.ended.aborted) return;
      if (reason === undefined) sent += 1;
      else await warn(`the test report ${work.masker.text(name)} is not complete: ${reason}`);
    }
    if (names.length > left)
      await warn(`${names.length - left} test reports are left out: at most ${MAX_FILES} are read`);
    left = Math.max(0, left - names.length);
  }
  if (sent > 0) await output.note('info', `sent ${sent} test ${sent === 1 ? 'report' : 'reports'}`, step ?? null);
}

async function findReports({ folder }: StepSetting, patterns: readonly string[],
  warn: (message: string) => unknown): Promise<string[]>
{
  const names = new Set<string>();
  for (const pattern of patterns) {
    const found = await findFiles(folder.source, pattern).catch((error: Error) => error);
    if (found instanceof Error) await warn(`test reports are not read: ${found.message}`);
    else if (found.length === 0) await warn(`there are no test reports ${pattern}`);
    else for (const name of found) names.add(name);
  }
  return [...names];
}

/** Why a report is not stored as a whole; undefined if it is. */
async function sendOne({ work, folder, user }: StepSetting,
  { format, name, step }: { readonly format: string; readonly name: string; readonly step: string }
): Promise<string | undefined> {
  if (work.masker.text(name) !== name) return 'its name holds a secret';
  const file = await openInside(folder.source, name, user);
  try {
    const bytes = await masked(await readText(file), work.masker);
    return await work.keepArtifact({
      name,
      step,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest(),
      reportFormat: format,
      content: () => pieces(bytes),
    }, work.limits.ended);
  } finally {
    await file.close();
  }
}

/** The text of a report, in the encoding that it declares. Throws a readable reason. */
async function readText(file: FileHandle): Promise<Buffer> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const piece of bytesOf(file)) {
    size += piece.length;
    if (size > MAX_BYTES) throw new Error(`it has more than ${formatByteSize(MAX_BYTES)}`);
    read.push(piece);
  }
  const bytes = Buffer.concat(read);
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8') return bytes;
  try {
    return Buffer.from(new TextDecoder(encoding).decode(bytes));
  } catch {
    throw new Error(`its encoding ${encoding} is not supported`);
  }
}

/** By its first bytes, else as XML declares it. Secrets are found in UTF-8 alone. */
function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, 200).toString('latin1');
  return /^<\?xml[^>]{0,100}encoding=["']([\w.-]{1,40})["']/.exec(head)?.[1]?.toLowerCase() ?? 'utf-8';
}

async function masked(bytes: Buffer, masker: Masker): Promise<Buffer> {
  const pace = new Pace();
  const stream = masker.stream();
  const shown: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    shown.push(stream.push(bytes.subarray(at, at + CHUNK)));
    await pace.rest();
  }
  return Buffer.concat([...shown, stream.end()]);
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}
