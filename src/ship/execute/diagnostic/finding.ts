import type { DiagnosticPlan } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { ExecutorContext, Work } from '../context.ts';

/** One line of the log. */
export interface Finding {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

/** Checks one thing. An error that it throws is a finding. */
export type Check = (context: ExecutorContext, work: Work, plan: DiagnosticPlan) => Promise<readonly Finding[]>;

export const fine = (text: string): Finding[] => [{ level: 'info', text }];
export const doubtful = (text: string): Finding[] => [{ level: 'warn', text }];
export const broken = (text: string): Finding[] => [{ level: 'error', text }];
