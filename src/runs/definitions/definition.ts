import type { JsonValue } from '@bufbuild/protobuf';

/**
 * What a run executes: resolved from the configuration when it is queued, kept by the hash of its
 * text, and the same for all its attempts (decisions, section 2.3, row 1). Secrets are kept by name only.
 */
export interface Definition {
  /** An `Assignment` of the fleet protocol in its JSON form, without `ref`, `input` and `secrets`. */
  readonly assignment: JsonValue;
  /** Names of the secrets that its steps get. */
  readonly secrets: readonly string[];
  /** How git gets at the repository: names of secrets, empty for none. Absent: as the ship does by itself. */
  readonly git?: { readonly token: string; readonly username: string; readonly sshKey: string; readonly knownHosts: string };
  /** Kinds of failure that lead to another attempt, besides faults of ships. */
  readonly retryOn: readonly ('step_failed' | 'timeout' | 'model_error')[];
  /** Longest time of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Variable that a ship must have set to take it (`api_key_env` of an AI role); empty for none. */
  readonly keyVariable: string;
  /** Selectors that the request itself asked for, for its retries; absent for none. */
  readonly runsOn?: readonly string[];
  /** Names of the inputs that its pipeline declares; absent for none. */
  readonly inputs?: readonly string[];
  /** How the cells of a run with a matrix are run; absent for none. */
  readonly matrix?: { readonly maxParallel: number; readonly failFast: boolean };
  /** It fails without a result in JSON; absent where any result will do. */
  readonly result?: 'json';
  /** A result with a lower `score` is a failure (`score_below_minimum`); absent where none is asked for. */
  readonly minScore?: number;
}
