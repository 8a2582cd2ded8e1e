import type { Transaction } from '../../storage/index.ts';
import { awaitApproval, nextApproval } from './approvals.ts';
import type { Core } from './core.ts';
import type { Acceptance } from './holding.ts';
import type { Completion, CompletionStatus, RunFailure, RunRef, WorkCode } from './port.ts';
import { isHeldAs, lockByIds, readById, readHeld, type RunRow } from './run-rows.ts';
import { scoreInText } from './score-in-text.ts';
import { storeSummary } from './summaries.ts';
import { cancelled, type Ending, failed, failureOf, nextAttempt, sameAttempt, succeeded, succeededAll,
  takeFromShip } from './transitions.ts';

const MAX_MESSAGE = 2000;

/** Codes of causes outside of the work, for which another attempt may help. */
const OUTSIDE: ReadonlySet<string> = new Set<WorkCode>(['model_error', 'model_timeout', 'spawn_failed', 'ship_error',
  'internal']);

const DEFAULT_CODES = { pipeline: 'step_failed', diagnostic: 'diagnostic_failed', ai_text: 'model_error' } as const;

/** The end of a run as its ship reports it. */
export interface End extends Acceptance {
  readonly completion: Completion;
}

/**
 * Rows 5 to 8 and 10: records the results that ships report for their attempts, each of another run. Successes are
 * recorded together by a few statements, and all others one by one.
 */
export async function completeAll(core: Core, tx: Transaction, ends: readonly End[]): Promise<CompletionStatus[]> {
  const rows = new Map((await lockByIds(tx, ends.map(({ ref: { runId } }) => runId))).map((row) => [row.id, row]));
  const together: { readonly row: RunRow; readonly completion: Completion; readonly steps: Completion['steps'] }[] = [];
  const others: End[] = [];
  for (const end of ends) {
    const row = rows.get(end.ref.runId);
    if (row !== undefined && isSimple(row, end) && await nextApproval(core, tx, row) === undefined &&
      await failureOfSuccess(core, tx, row, end.completion) === undefined)
      together.push({ row, completion: end.completion, steps: end.completion.steps });
    else others.push(end);
  }
  await storeResults(tx, together);
  for (const { row, completion } of together) await storeSummary(tx, row, completion);
  await succeededAll(core, tx, together);
  const statuses = new Map<End, CompletionStatus>();
  for (const end of others) statuses.set(end, await complete(core, tx, end));
  return ends.map((end) => statuses.get(end) ?? 'recorded');
}

/** Whether the ship holds the run and reports its success, and the end of no other run depends on it. */
function isSimple(row: RunRow, { ref, shipId, completion }: End): boolean {
  return completion.outcome === 'succeeded' && row.state === 'running' && isHeldAs(row, ref, shipId)
    && row.concurrency_group === null && row.parent_id === null;
}

async function complete(core: Core, tx: Transaction, { ref, shipId, completion }: End): Promise<CompletionStatus> {
  const row = await readHeld(tx, ref, shipId);
  if (row === undefined) return (await wasReported(tx, ref, shipId, completion)) ? 'already_recorded' : 'fenced';
  if (row.state === 'cancelling') await acknowledgeCancel(core, tx, row, completion);
  else await record(core, tx, row, completion);
  return 'recorded';
}

/** The same report for the same assignment. */
async function wasReported(tx: Transaction, { runId, attempt, fence }: RunRef, shipId: string,
  { outcome }: Completion): Promise<boolean>
{
  const row = await readById(tx, runId);
  if (row === undefined) return false;
  const found = await tx.get(
    'SELECT 1 FROM attempts WHERE seq = ? AND fence = ? AND attempt = ? AND ship_id = ? AND outcome = ? AND ' +
      'reported = 1',
    [row.seq, fence, attempt, shipId, outcome],
  );
  return found !== undefined;
}

async function acknowledgeCancel(core: Core, tx: Transaction, row: RunRow, completion: Completion): Promise<void> {
  const { outcome, steps } = completion;
  await storeSummary(tx, row, completion);
  const why = outcome === 'succeeded'
    ? 'its work had succeeded by then, which comes too late'
    : 'the ship has stopped it';
  await cancelled(core, tx, row, why, { outcome, reported: true, steps });
}

async function record(core: Core, tx: Transaction, row: RunRow, completion: Completion): Promise<void> {
  const ending: Ending = { outcome: completion.outcome, reported: true, steps: completion.steps };
  switch (completion.outcome) {
    case 'succeeded':
      return recordSuccess(core, tx, row, completion);
    case 'failed':
    case 'timed_out':
      return recordFailure(core, tx, row, completion, ending);
    case 'cancelled': // without a cancel request, the ship itself ended it
    case 'ship_error': {
      const code = completion.error?.code === 'spawn_failed' ? 'spawn_failed' : 'ship_error';
      await takeFromShip(core, tx, row, { code, message: messageOf(completion, 'the ship could not do the work') },
        ending);
      return;
    }
    case 'returned':
      if (!completion.started)
        await sameAttempt(core, tx, row, 'returned', 'the ship gave it back before its first step', ending);
      else await takeFromShip(core, tx, row, { code: 'ship_error', message: 'the ship gave the run back' }, ending);
  }
}

async function recordSuccess(core: Core, tx: Transaction, row: RunRow, completion: Completion): Promise<void> {
  await storeSummary(tx, row, completion);
  if (await awaitApproval(core, tx, row, { outcome: 'succeeded', reported: true, steps: completion.steps }) !==
    undefined) return;
  await storeResults(tx, [{ row, completion }]);
  const failure = await failureOfSuccess(core, tx, row, completion);
  if (failure === undefined) await succeeded(core, tx, row, completion.steps);
  else await failed(core, tx, row, failure, { outcome: 'succeeded', reported: true, steps: completion.steps });
}

/** Why the run has failed although its work has succeeded; undefined if it has not. */
async function failureOfSuccess(core: Core, tx: Transaction, row: RunRow,
  completion: Completion): Promise<RunFailure | undefined>
{
  const { minScore, result } = await core.definitions.ofRun(tx, row.seq);
  if (result === 'json' && !isJson(completion)) {
    return failureOf(row, {
      code: 'result_invalid',
      message: 'the pipeline asks for a result in JSON, and QUIRE_RESULT_FILE has none, or more than 1 MiB',
    });
  }
  const score = minScore === undefined || row.kind !== 'ai_text' ? undefined : scoreOf(completion);
  // A least score of 0 means no minimum.
  if (minScore === undefined || (score ?? 0) >= minScore) return undefined;
  const has = score === undefined ? 'no score (expected JSON with a number as its `score`)' : `the score ${score}`;
  return failureOf(row, {
    code: 'score_below_minimum',
    message: `the result has ${has}, at least ${minScore} is asked for`,
  });
}

async function recordFailure(core: Core, tx: Transaction, row: RunRow, completion: Completion,
  ending: Ending): Promise<void>
{
  const code = codeOf(row, completion);
  const { step = null, exitCode: exit_code = null, signal = null } = completion.error ?? {};
  const failure = failureOf(row, {
    code,
    message: messageOf(completion, 'the ship gave no reason'),
    step,
    exit_code,
    signal,
    retryable: OUTSIDE.has(code),
  });
  const { retryOn } = await core.definitions.ofRun(tx, row.seq);
  const again = row.attempt < row.max_attempts && (retryOn as readonly string[]).includes(code);
  if (again) {
    await nextAttempt(core, tx, row, failure, ending);
    return;
  }
  await storeResults(tx, [{ row, completion }]);
  await storeSummary(tx, row, completion);
  await failed(core, tx, row, failure, ending);
}

/** Only the attempt that ends the run stores its result. */
async function storeResults(tx: Transaction,
  ended: readonly { readonly row: RunRow; readonly completion: Completion }[]): Promise<void>
{
  const results = ended.flatMap((
    { row: { seq }, completion: { result } },
  ) => (result === undefined ? [] : [[seq, result.type, result.body]]));
  if (results.length > 0) await tx.runMany('INSERT INTO run_results(seq, type, body) VALUES (?, ?, ?)', results);
}

function codeOf({ kind }: RunRow, { outcome, error }: Completion): string {
  if (outcome === 'timed_out') return error?.code === 'model_timeout' ? 'model_timeout' : 'timeout';
  return error?.code ?? DEFAULT_CODES[kind];
}

function messageOf({ error }: Completion, fallback: string): string {
  return cutText(error?.message || fallback, MAX_MESSAGE);
}

/** `score` of the JSON in the text that a role returned; undefined if there is none. */
function scoreOf({ result }: Completion): number | undefined {
  const text = member(parse(Buffer.from(result?.body ?? []).toString()), 'content');
  return typeof text === 'string' ? scoreInText(text) : undefined;
}

const isJson = ({ result }: Completion): boolean =>
  result?.type === 'application/json' && parse(Buffer.from(result.body).toString()) !== undefined;

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // text that is not JSON has no score
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Cuts a text to at most this many UTF-16 units, without splitting a character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = /[\uD800-\uDBFF]$/.test(text.slice(0, most - 1));
  return `${text.slice(0, most - (half ? 2 : 1))}…`;
}
