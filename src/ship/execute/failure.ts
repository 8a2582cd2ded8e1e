import { create } from '@bufbuild/protobuf';
import { Outcome, RunErrorSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Masker } from './mask/masker.ts';
import type { WorkResult } from './port.ts';

/** Most characters of an error's message (decisions, section 2.2). */
const MAX_MESSAGE = 2_000;

type FailureCode = 'step_failed' | 'timeout' | 'spawn_failed' | 'model_error' | 'model_timeout' | 'diagnostic_failed'
  | 'ship_error';

/** A failure, not masked yet. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly step?: string;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

const OUTCOMES: Partial<Record<FailureCode, Outcome>> = {
  timeout: Outcome.TIMED_OUT,
  model_timeout: Outcome.TIMED_OUT,
  ship_error: Outcome.SHIP_ERROR,
};

/** The result of a failed attempt. */
export function failed({ code, message, step, exitCode, signal }: Failure, masker: Masker): WorkResult {
  return {
    outcome: OUTCOMES[code] ?? Outcome.FAILED,
    error: create(RunErrorSchema, {
      code,
      message: shortened(masker.text(message)),
      step: step ?? '',
      signal: signal ?? '',
      exitCode: exitCode ?? undefined,
    }),
  };
}

/** Cuts a text without splitting a character. */
function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
