import { create, fromJson } from '@bufbuild/protobuf';
import { type Assignment, AssignmentSchema, GitCredentialsSchema, LogLimitsSchema,
  RunRefSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { RunsConfig } from '../config/index.ts';
import type { Claim } from '../queue/port.ts';
import { stepsOfPart } from './definition.ts';
import { runVariables } from './run-variables.ts';
import { traceparentOf } from './trace-ids.ts';

/** The limits of logs that a ship receives. */
export type LogSettings = Pick<RunsConfig['logs'], 'max_line' | 'attempt_budget' | 'attempt_events'>;

/**
 * The assignment that a ship receives: the definition of the run, as it was when the run was queued, with the values of
 * this attempt. `secretValue`: returns the current value of a secret by name; throws `SecretUnavailable` if one is not
 * set. `sharesCaches`: the server keeps caches for all ships.
 */
export function assignmentOf({ run, ref, input, definition }: Claim, secretValue: (name: string) => string | undefined,
  limits: LogSettings, sharesCaches = false): Assignment
{
  const assignment = fromJson(AssignmentSchema, definition.assignment);
  assignment.ref = create(RunRefSchema, { runId: ref.runId, attempt: ref.attempt, fencingToken: BigInt(ref.fence) });
  assignment.input = new TextEncoder().encode(input ?? '');
  assignment.limits = create(LogLimitsSchema, {
    maxLine: limits.max_line,
    maxBytes: BigInt(limits.attempt_budget),
    maxEvents: BigInt(limits.attempt_events),
  });
  Object.assign(assignment.env, runVariables(definition, input, run.matrix));
  const missing: string[] = [];
  if (assignment.plan.case === 'pipeline') {
    assignment.plan.value.steps = stepsOfPart(definition, assignment.plan.value.steps, run.part);
    assignment.plan.value.restoreArtifacts = run.part > 0;
    for (const { cache } of assignment.plan.value.steps) if (cache !== undefined) cache.shared = sharesCaches;
    assignment.plan.value.gitRef = run.gitRef ?? '';
    assignment.plan.value.commit = run.gitCommit ?? '';
    const { git } = definition;
    const valueOf = (name: string): string => {
      const value = name === '' ? '' : secretValue(name);
      if (value === undefined) missing.push(name);
      return value ?? '';
    };
    if (git !== undefined)
      assignment.plan.value.credentials = create(GitCredentialsSchema, {
        username: git.username,
        password: valueOf(git.token),
        sshKey: valueOf(git.sshKey),
        knownHosts: git.knownHosts,
      });
  }
  for (const name of definition.secrets) {
    const value = secretValue(name);
    if (value === undefined) missing.push(name);
    else assignment.secrets[name] = value;
  }
  const traceparent = traceparentOf(ref.runId, ref.attempt, run.part);
  if (traceparent !== undefined) assignment.env['TRACEPARENT'] ??= traceparent;
  if (missing.length > 0) throw new SecretUnavailable(missing);
  return assignment;
}

/** Thrown before the attempt starts, because otherwise a step would fail halfway with a message of its own. */
export class SecretUnavailable extends Error {
  constructor(names: readonly string[]) {
    super(
      `the service has no value for ${names.length === 1 ? 'the secret' : 'the secrets'} ${
        names.join(', ')
      }: set the variables that \`secrets\` of the configuration names, and start the service again`,
    );
    this.name = 'SecretUnavailable';
  }
}
