import { type DiagnosticPlan, Outcome } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatDuration } from '../../../lib/duration.ts';
import type { ExecutorContext, Work } from '../context.ts';
import { failed } from '../failure.ts';
import type { WorkResult } from '../port.ts';
import { broken, type Check, type Finding } from './finding.ts';
import { clock, disk, memory, sandbox, versions, workFolder } from './machine-checks.ts';
import { models } from './model-checks.ts';
import { git, host, repository } from './repository-checks.ts';

/** In log order; a run whose task is one of these names runs only that check. */
const CHECKS: Readonly<Record<string, Check>> = {
  versions,
  clock,
  disk,
  memory,
  work_dir: workFolder,
  sandbox,
  git,
  repository,
  host,
  models,
};

/**
 * Checks the machine and what the project needs (decisions, section 5, "diagnostic"): one line per finding; any error
 * fails the run.
 */
export async function runDiagnostic(context: ExecutorContext, work: Work, plan: DiagnosticPlan): Promise<WorkResult> {
  const { limits, output, masker, assignment } = work;
  const names = Object.hasOwn(CHECKS, plan.check) ? [plan.check] : Object.keys(CHECKS);
  const failures: string[] = [];
  work.started();
  for (const name of names) {
    const findings = limits.ended.aborted ? [] : await look(CHECKS[name]!, context, work, plan);
    if (limits.ended.aborted) {
      if (limits.reason === 'stop') return { outcome: Outcome.CANCELLED };
      return failed({
        code: 'timeout',
        message: `the checks took longer than ${formatDuration(Number(assignment.timeoutMs))}`,
      }, masker);
    }
    for (const { level, text } of findings) await output.note(level, `${name}: ${text}`);
    if (findings.some(({ level }) => level === 'error')) failures.push(name);
  }
  if (failures.length === 0) return { outcome: Outcome.SUCCEEDED };
  return failed({
    code: 'diagnostic_failed',
    message: `${failures.length} of ${names.length} checks found errors: ${failures.join(', ')}`,
  }, masker);
}

async function look(check: Check, context: ExecutorContext, work: Work,
  plan: DiagnosticPlan): Promise<readonly Finding[]>
{
  try {
    return await check(context, work, plan);
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error));
  }
}
