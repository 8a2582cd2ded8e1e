import type { Assignment, Step } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { decodeUtf8 } from '../../../lib/utf8.ts';
import { marksOf } from '../context.ts';
import type { Variables } from '../sandbox/index.ts';
import type { ResolvedRef } from '../source/index.ts';
import type { WorkFolder } from './work-folder.ts';

/** Longer input is only in the file, because the system limits the size of a process's environment. */
const MAX_INPUT_VARIABLE = 32 * 1024;

/**
 * The environment of a step. From the machine it contains only path and language, because the rest may contain secrets
 * of the machine. Variables of the service are set last, so that a step cannot pretend to belong to another run.
 */
export function stepEnvironment(machine: Variables, assignment: Assignment, step: Step, folder: WorkFolder,
  source?: ResolvedRef): Record<string, string>
{
  const { ref, input, projectId, repository, issueLabel } = assignment;
  const text = input.length <= MAX_INPUT_VARIABLE ? decodeUtf8(Buffer.from(input)) : undefined;
  return {
    PATH: machine['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: machine['LANG'] ?? 'C.UTF-8',
    HOME: folder.home,
    TMPDIR: folder.temporary,
    ...assignment.env,
    ...step.env,
    ...assignment.secrets,
    ...Object.fromEntries(marksOf(ref!).map((mark) => mark.split('='))),
    QUIRE_PROJECT: projectId,
    QUIRE_REPOSITORY: repository,
    QUIRE_ISSUE_LABEL: issueLabel,
    ...(source === undefined ? {} : { QUIRE_COMMIT: source.commit, QUIRE_REF: source.ref }),
    QUIRE_INPUT_FILE: folder.inputFile,
    QUIRE_RESULT_FILE: folder.resultFile,
    ...(text === undefined || text.includes('\0') ? {} : { QUIRE_INPUT: text }),
  };
}
