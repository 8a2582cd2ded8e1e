import { readFileSync } from 'node:fs';
import type { OperationId } from '../../generated/docs/operations.ts';
import type { Driver, Input, Outcome } from './driver.ts';

/** One call of a scenario. */
export interface Step {
  readonly operation: OperationId;
  readonly input: Input;
  readonly outcome: Outcome;
  /** The outcome that the scenario expects over REST: `ok`, or the code of the failure. */
  readonly expected: string;
  /** Why the call was made over REST instead; undefined if it was not. */
  readonly borrowed: string | undefined;
}

/** The interface for scenarios. */
export interface Calls {
  /** A collection of this run only. */
  readonly collection: string;
  /** Calls an operation that succeeds over REST, and returns its result. */
  ok(operation: OperationId, input?: Input): Promise<Outcome>;
  /** Calls an operation that fails over REST with a code. */
  refused(code: string, operation: OperationId, input?: Input): Promise<Outcome>;
}

export type Scenario = (calls: Calls) => Promise<void>;

/**
 * Plays a scenario over a protocol and records every outcome. Calls that the protocol cannot express are made over
 * REST, so that the following calls find the same state; they are compared as well, because they show that state.
 */
export async function play(scenario: Scenario, driver: Driver, rest: Driver, collection: string): Promise<Step[]> {
  const steps: Step[] = [];
  const call = async (expected: string, operation: OperationId, given: Input = {}): Promise<Outcome> => {
    const input = present({ ...(takesCollection(operation) && { collection }), ...given });
    const borrowed = driver.lacks(operation, input);
    const outcome = await (borrowed === undefined ? driver : rest).call(operation, input);
    steps.push({ operation, input, expected, borrowed, outcome: normalised(outcome, collection, operation) });
    return outcome;
  };
  await scenario({ collection, ok: (operation, input) => call('ok', operation, input), refused: call });
  return steps;
}

const INPUTS = JSON.parse(readFileSync(new URL('../../generated/docs/inputs.json', import.meta.url), 'utf8')) as Record<
  OperationId,
  { properties?: object }
>;

const takesCollection = (operation: OperationId): boolean => 'collection' in (INPUTS[operation].properties ?? {});

/** A field that a scenario sets to undefined is absent. */
const present = (input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** A call in the form that is shown in a difference. */
export const shown = ({ operation, input }: Step): string => `${operation} ${JSON.stringify(input).slice(0, 200)}`;

/** The outcome of a call, with the message of a failure that its scenario does not expect. */
export function verdict(step: Step): { call: string; outcome: string; message?: string } {
  const { outcome, expected } = step;
  const call = shown(step);
  if ('value' in outcome) return { call, outcome: 'ok' };
  const { code, message } = outcome.failure;
  return { call, outcome: code, ...(code !== expected && { message }) };
}

/**
 * Removes what differs between two equal runs: the collection's name, random ids, durations, and the scores of
 * messages, which depend on all conversations.
 */
function normalised(outcome: Outcome, collection: string, operation: OperationId): Outcome {
  const differs = (name: string): boolean => DIFFERENT.has(name) || (name === 'score' && operation === 'recallMemory');
  const text = JSON.stringify(outcome,
    (name, value: unknown) => (differs(name) && typeof value === 'number' ? 0 : value));
  return JSON.parse(
    text.replaceAll(collection, 'COLLECTION').replaceAll(collection.toUpperCase(), 'UPPER').replace(DRAWN_ID, '$1_ID')
      .replace(CHECKSUM, '"checksum":"SUM"').replace(CURSOR, '"nextCursor":"NEXT"'),
  ) as Outcome;
}

const DIFFERENT = new Set(['durationMs', 'uptime']);
const DRAWN_ID = /\b(auto|cfg|cur|ses|msg|sum|job|wh|dlv)_[0-9a-f_]{20,}/g;
/** The value depends on the ids of documents, and so on the collection's name. */
/** Checksums name a state of one document of one database (decision D-170). */
export const CHECKSUM = /"checksum":"(?!00000000")[0-9a-f]{8,16}"/g;
/** The text contains the name of the collection. */
const CURSOR = /"nextCursor":"[^"]+"/g;
