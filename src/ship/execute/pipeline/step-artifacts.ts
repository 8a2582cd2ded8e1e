import type { Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Failure } from '../failure.ts';
import { bytesOf, findFiles, openInside, sha256Of } from '../files/index.ts';
import type { StepSetting } from './run-step.ts';
import { isPlainFolder } from './work-folder.ts';

/** Stores the files that a step names; returns what went wrong. A pattern without files is a warning. */
export async function keepArtifacts(setting: StepSetting, step: Step): Promise<Failure | undefined> {
  const { work, folder } = setting;
  if (step.artifacts.length === 0) return undefined;
  if (work.limits.ended.aborted) {
    await work.output.note('warn', 'the run had to end: the artefacts of this step are not kept', step.name);
    return undefined;
  }
  const failed = (reason: string): Failure => ({
    code: 'step_failed',
    step: step.name,
    message: `the artefacts of step ${step.name} are not kept: ${reason}`,
  });
  if (!await isPlainFolder(folder.source)) return failed('the work folder was replaced');
  const names = new Set<string>();
  for (const pattern of step.artifacts) {
    const found = await findFiles(folder.source, pattern).catch((error: Error) => error);
    if (found instanceof Error) return failed(found.message);
    if (found.length === 0) await work.output.note('warn', `there are no files ${pattern} to be kept`, step.name);
    for (const name of found) names.add(name);
  }
  let kept = 0;
  for (const name of names) {
    const reason = await keepOne(setting, step.name, name);
    if (reason === undefined) kept += 1;
    else if (!work.limits.ended.aborted) return failed(`${name}: ${reason}`);
  }
  if (kept > 0) await work.output.note('info', `kept ${kept} ${kept === 1 ? 'artefact' : 'artefacts'}`, step.name);
  return undefined;
}

/** Why a file is not stored; undefined if it is. */
async function keepOne({ work, folder, user }: StepSetting, step: string, name: string): Promise<string | undefined> {
  // Names are shown to everyone who may read the run, and a masked one would not lead to the file.
  if (work.masker.text(name) !== name) return 'its name holds a secret';
  const file = await openInside(folder.source, name, user).catch((error: Error) => error);
  if (file instanceof Error) return file.message;
  try {
    const { size, sha256 } = await sha256Of(file);
    return await work.keepArtifact({ name, step, size, sha256, content: () => bytesOf(file) }, work.limits.ended);
  } finally {
    await file.close();
  }
}
