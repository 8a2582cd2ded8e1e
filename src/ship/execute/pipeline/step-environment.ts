import { marksOf } from '../context.ts';
import { inputVariable } from './notes.ts';
import type { Command, StepSetting } from './run-step.ts';

/** Where steps and other services find a service. */
export interface ServicePlace {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

function variablesOf({ name, host, port }: ServicePlace): Record<string, string> {
  const prefix = `QUIRE_SERVICE_${name.toUpperCase().replaceAll('-', '_')}`;
  return { [`${prefix}_HOST`]: host, [`${prefix}_PORT`]: String(port) };
}

/**
 * The environment of a step. From the machine it contains only path and language, because the rest may contain secrets
 * of the machine. Variables of the service are set last, so that a step cannot pretend to belong to another run.
 */
export function stepEnvironment({ context, work: { assignment }, folder, source, services }: StepSetting,
  command: Command): Record<string, string>
{
  const machine = context.env;
  const { ref, input, projectId, repository, issueLabel } = assignment;
  const variable = inputVariable(input);
  return {
    PATH: machine['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: machine['LANG'] ?? 'C.UTF-8',
    HOME: folder.home,
    TMPDIR: folder.temporary,
    CI: 'true',
    ...assignment.env,
    ...command.env,
    ...assignment.secrets,
    ...Object.fromEntries(marksOf(ref!).map((mark) => mark.split('='))),
    QUIRE_STEP: command.name,
    QUIRE_PROJECT: projectId,
    QUIRE_REPOSITORY: repository,
    QUIRE_ISSUE_LABEL: issueLabel,
    ...(source === undefined ? {} : { QUIRE_COMMIT: source.commit, QUIRE_REF: source.ref }),
    QUIRE_INPUT_FILE: folder.inputFile,
    QUIRE_RESULT_FILE: folder.resultFile,
    QUIRE_SUMMARY: folder.summaryFile,
    ...('text' in variable ? { QUIRE_INPUT: variable.text } : {}),
    ...Object.assign({}, ...services.map(variablesOf)) as Record<string, string>,
  };
}
