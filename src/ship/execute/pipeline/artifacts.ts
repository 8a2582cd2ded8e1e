import { execFile } from 'node:child_process';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DownloadArtifactsResponse, Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Failure } from '../failure.ts';
import { bytesOf, findFiles, HashedFile, onDisk, openInside, sha256Of } from '../files.ts';
import { StagingFailure } from '../port.ts';
import { PassedFiles } from './passed-files.ts';
import type { StepSetting } from './run-step.ts';
import { runTar } from './run-tool.ts';
import { isPlainFolder } from './work-folder.ts';

/**
 * Stores the files that a step names; returns what went wrong, `stopped` if the run had to end before they were stored:
 * such a run has not succeeded, because others need its files. A pattern without files is a warning.
 */
export async function keepArtifacts(setting: StepSetting, step: Step): Promise<Failure | 'stopped' | undefined> {
  const { work, folder } = setting;
  if (step.artifacts.length === 0) return undefined;
  const stopped = async (): Promise<'stopped'> => {
    await work.output.note('warn', 'the run had to end: the artefacts of this step are not kept', step.name);
    return 'stopped';
  };
  if (work.limits.ended.aborted) return stopped();
  const failed = (reason: string): Failure => ({
    code: 'step_failed',
    step: step.name,
    message: `the artefacts of step ${step.name} are not kept: ${reason}`,
  });
  if (!await isPlainFolder(folder.source)) return failed('the work folder was replaced');
  const names = new Set<string>();
  const passed = new PassedFiles();
  for (const pattern of step.artifacts) {
    const found = await findFiles(folder.source, pattern, passed.add).catch((error: Error) => error);
    if (found instanceof Error) return failed(found.message);
    if (found.length === 0) await work.output.note('warn', `there are no files ${pattern} to be kept`, step.name);
    for (const name of found) names.add(name);
  }
  let kept = 0;
  for (const name of names) {
    const reason = await keepOne(setting, step.name, name);
    if (reason !== undefined) return work.limits.ended.aborted ? stopped() : failed(`${name}: ${reason}`);
    kept += 1;
  }
  for (const line of passed.lines()) await work.output.note('warn', line, step.name);
  if (kept > 0) await work.output.note('info', `kept ${kept} ${kept === 1 ? 'artefact' : 'artefacts'}`, step.name);
  return undefined;
}

/** Bit of a file's mode. */
const OWNER_EXECUTES = 0o100;

/** Why a file is not stored; undefined if it is. */
async function keepOne({ work, folder, user }: StepSetting, step: string, name: string): Promise<string | undefined> {
  // Names are shown to everyone who may read the run, and a masked one would not lead to the file.
  if (work.masker.text(name) !== name) return 'its name holds a secret';
  const file = await openInside(folder.source, name, user).catch((error: Error) => error);
  if (file instanceof Error) return file.message;
  try {
    const executable = ((await file.stat()).mode & OWNER_EXECUTES) !== 0;
    const { size, sha256 } = await sha256Of(file);
    return await work.keepArtifact({ name, step, size, sha256, executable, content: () => bytesOf(file) },
      work.limits.ended);
  } finally {
    await file.close();
  }
}

/** The folder of a work folder where steps start. */
const SOURCE = 'src';

/**
 * Puts the artefacts that the attempt has left before an approval back at their paths, and those of the jobs that it
 * needs; returns what went wrong. They come into a folder that steps cannot enter, and `tar` writes them to the work
 * folder as the run itself, because the repository may have links at their paths.
 */
export async function restoreArtifacts(setting: StepSetting): Promise<Failure | undefined> {
  const { work, plan, folder } = setting;
  if (!plan.restoreArtifacts) return undefined;
  const staging = join(folder.path, 'artifacts');
  const failed = (reason: string): Failure => ({
    code: 'ship_error',
    message: `the artefacts of earlier steps and jobs are not restored: ${reason}`,
  });
  let names: readonly string[] = [];
  try {
    const reason = await work.restoreArtifacts(async (messages) => {
      names = await stage(staging, messages);
    }, work.limits.ended);
    if (reason !== undefined) return failed(reason);
    if (names.length === 0) return undefined;
    const archive = await pack(staging, names).catch((error: Error) => error);
    if (archive instanceof Error) return failed(archive.message);
    try {
      const { exitCode } = await runTar(setting, { name: 'artifacts', step: null }, ['-xof', '-'], {
        stdin: archive.fd,
      });
      if (exitCode !== 0) return failed('tar failed');
    } finally {
      await archive.close();
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  await work.output.note('info',
    `restored ${names.length} ${names.length === 1 ? 'artefact' : 'artefacts'} of earlier steps and jobs`);
  return undefined;
}

/**
 * Writes the files of a download below an empty folder and checks them; returns their names. Throws a `StagingFailure`
 * if the disk does not take them.
 */
async function stage(staging: string, messages: AsyncIterable<DownloadArtifactsResponse>): Promise<string[]> {
  await onDisk(async () => {
    await rm(staging, { recursive: true, force: true });
    await mkdir(join(staging, SOURCE), { recursive: true, mode: 0o700 });
  });
  const names: string[] = [];
  let current: { readonly name: string; readonly sha256: Uint8Array; readonly file: HashedFile } | undefined;
  const finish = async (): Promise<void> => current?.file.finish(current.sha256, `the artefact ${current.name}`);
  try {
    for await (const { body } of messages) {
      if (body.case === 'description') {
        await finish();
        const { name, sha256, executable } = body.value;
        current = { name, sha256, file: await stageFile(staging, name, executable ? 0o755 : 0o644) };
        names.push(name);
      } else if (body.case === 'chunk') {
        if (current === undefined) throw new Error('the server sent bytes without a description');
        await current.file.write(body.value);
      }
    }
    await finish();
    return names;
  } finally {
    await current?.file.close();
  }
}

/** Creates the file of an artefact below the folder. */
async function stageFile(staging: string, name: string, mode: number): Promise<HashedFile> {
  if (name === '' || name.startsWith('/') || name.split('/').includes('..'))
    throw new StagingFailure('the server sent an artefact with a name that is no relative path');
  const path = join(staging, SOURCE, name);
  await onDisk(() => mkdir(dirname(path), { recursive: true, mode: 0o700 }));
  return HashedFile.create(path, mode);
}

/**
 * An open archive of the staged files, which are removed. It contains no folders, so that folders of the repository
 * keep their permissions.
 */
async function pack(staging: string, names: readonly string[]): Promise<FileHandle> {
  const archive = join(staging, 'content.tar');
  await new Promise<void>((resolve, reject) => {
    const child = execFile('tar', ['-cf', archive, '-C', staging, '-T', '-'],
      (error) => (error === null ? resolve() : reject(new Error('tar failed'))));
    child.stdin!.on('error', () => undefined); // tar has ended, and its exit code says why
    child.stdin!.end(names.map((name) => `${SOURCE}/${name}\n`).join(''));
  });
  await rm(join(staging, SOURCE), { recursive: true });
  return open(archive, 'r');
}
