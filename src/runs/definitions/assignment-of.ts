import { create, fromJson } from '@bufbuild/protobuf';
import { createHash } from 'node:crypto';
import { type Assignment, AssignmentSchema, type GitCredentials, GitCredentialsSchema, LogLimitsSchema,
  RunRefSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { currentTracing } from '../../lib/tracing.ts';
import type { CellValues, RunsConfig, Scalar } from '../config/index.ts';
import type { ForgeOrigin } from '../forge/port.ts';
import type { Claim } from '../queue/port.ts';
import { type Definition, stepsOfPart } from './definition.ts';

/** The limits of logs that a ship receives. */
type LogSettings = Pick<RunsConfig['logs'], 'max_line' | 'attempt_budget' | 'attempt_events'>;

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
  assignment.input = new TextEncoder().encode(withFiles(input ?? '', definition));
  assignment.limits = create(LogLimitsSchema, {
    maxLine: limits.max_line,
    maxBytes: BigInt(limits.attempt_budget),
    maxEvents: BigInt(limits.attempt_events),
  });
  Object.assign(assignment.env, eventVariables(run.origin.forge), runVariables(definition, input, run.matrix));
  const missing: string[] = [];
  if (assignment.plan.case === 'pipeline') {
    assignment.plan.value.steps = stepsOfPart(definition, assignment.plan.value.steps, run.part);
    assignment.plan.value.restoreArtifacts = run.part > 0 || definition.artifactsFrom !== undefined;
    for (const { cache } of assignment.plan.value.steps) if (cache !== undefined) cache.shared = sharesCaches;
    assignment.plan.value.gitRef = run.gitRef ?? '';
    assignment.plan.value.commit = run.gitCommit ?? '';
  }
  if (assignment.plan.case === 'pipeline' || assignment.plan.case === 'diagnostic')
    assignment.plan.value.credentials = credentialsOf(definition, secretValue, missing,
      run.origin.forge?.restricted === true);
  for (const name of [...definition.secrets, ...Object.keys(definition.idTokens ?? {})]) {
    const value = secretValue(name);
    if (value === undefined) missing.push(name);
    else assignment.secrets[name] = value;
  }
  const traceparent = traceparentOf(ref.runId, ref.attempt, run.part);
  if (traceparent !== undefined) assignment.env['TRACEPARENT'] ??= traceparent;
  if (missing.length > 0) throw new SecretUnavailable(missing.map((name) => ({ name })));
  return assignment;
}

/** A prompt with the files of its role. */
const withFiles = (input: string, { files }: Definition): string =>
  files === undefined ? input : `${input}\n\n${files}`;

/** The credentials of git with their values; `missing` gets the names of secrets without one. */
function credentialsOf({ git }: Definition, secretValue: (name: string) => string | undefined, missing: string[],
  isRestricted: boolean): GitCredentials | undefined
{
  const valueOf = (name: string): string => {
    const value = name === '' ? '' : secretValue(name);
    if (value === undefined) missing.push(name);
    return value ?? '';
  };
  return git === undefined ? undefined : create(GitCredentialsSchema, {
    username: git.username,
    password: valueOf(git.token),
    sshKey: valueOf(git.sshKey),
    knownHosts: git.knownHosts,
    // What strangers wrote must not name other repositories that these would open.
    url: isRestricted ? '' : git.url,
  });
}

/** A secret without a value; `why` is absent if a variable of the service is not set. */
export interface UnavailableSecret {
  readonly name: string;
  readonly why?: string | undefined;
}

/** Thrown before the attempt starts, because otherwise a step would fail halfway with a message of its own. */
export class SecretUnavailable extends Error {
  constructor(secrets: readonly UnavailableSecret[]) {
    const unset = secrets.filter(({ why }) => why === undefined).map(({ name }) => name);
    const others = secrets.flatMap(({ name, why }) =>
      why === undefined ? [] : [`the secret ${name} is not available: ${why}`]
    );
    super([...(unset.length > 0 ? [unsetMessage(unset)] : []), ...others].join('; '));
    this.name = 'SecretUnavailable';
  }
}

const unsetMessage = (names: readonly string[]): string =>
  `the service has no value for ${names.length === 1 ? 'the secret' : 'the secrets'} ${
    names.join(', ')
  }: set the variables that \`secrets\` of the configuration names, and start the service again`;

/**
 * Environment variables of a run's steps with the values of its inputs and of its cell: `QUIRE_INPUT_NAME` for each
 * declared input of its pipeline, empty for one without a value, and `QUIRE_MATRIX_NAME`. `input`: the input of the
 * run, as JSON.
 */
function runVariables({ inputs = [] }: Pick<Definition, 'inputs'>, input: string | null,
  matrix: CellValues | null): Record<string, string>
{
  const values = inputs.length === 0 || input === null ? {} : (JSON.parse(input) as Readonly<Record<string, Scalar>>);
  const given = inputs.map((name) =>
    [`QUIRE_INPUT_${name.toUpperCase()}`, Object.hasOwn(values, name) ? String(values[name]) : ''] as const
  );
  const ofCell = Object.entries(matrix ?? {}).map(([name, value]) =>
    [`QUIRE_MATRIX_${name.toUpperCase()}`, String(value)] as const
  );
  return Object.fromEntries([...given, ...ofCell]);
}

/** Variables of steps about the event that started the run (docs/run-queue-forge.md); empty for what it has not. */
function eventVariables(forge: ForgeOrigin | undefined): Record<string, string> {
  if (forge === undefined) return {};
  const { pullRequest } = forge;
  return {
    QUIRE_EVENT: forge.event,
    QUIRE_EVENT_ACTION: forge.action,
    QUIRE_EVENT_TITLE: forge.title,
    QUIRE_EVENT_URL: forge.url,
    QUIRE_BRANCH: forge.branch,
    QUIRE_TAG: forge.tag,
    QUIRE_BEFORE: forge.before,
    QUIRE_AUTHOR: forge.author,
    QUIRE_FORGE: forge.forge,
    QUIRE_PULL_REQUEST: pullRequest === undefined ? '' : String(pullRequest.number),
    QUIRE_BASE_BRANCH: pullRequest?.base ?? '',
    QUIRE_HEAD_BRANCH: pullRequest?.head ?? '',
    QUIRE_FORK: pullRequest?.isFork ? 'true' : '',
    QUIRE_ISSUE: forge.issue === undefined ? '' : String(forge.issue),
  };
}

/** A run's id is a UUID, whose 128 bits are the id of its trace. */
export function traceIdOf(runId: string): string {
  return runId.replaceAll('-', '');
}

/**
 * Of an attempt, or of the part of it after its first approval step and so on. Derived from the run, so it is known
 * before the attempt starts and the same on every server; nothing has to be stored.
 */
export function attemptSpanId(runId: string, attempt: number, part = 0): string {
  return createHash('sha256').update(`attempt ${attempt}${part === 0 ? '' : `, part ${part},`} of ${runId}`).digest(
    'hex',
  ).slice(0, 16);
}

/** The value of `TRACEPARENT` for the steps of an attempt; undefined if its trace is not recorded. */
export function traceparentOf(runId: string, attempt: number, part = 0): string | undefined {
  const traceId = traceIdOf(runId);
  return currentTracing()?.samples(traceId) === true
    ? `00-${traceId}-${attemptSpanId(runId, attempt, part)}-01`
    : undefined;
}
