import type { Assignment, CompleteRunRequest,
  CompleteRunResponse } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Log, RepeatedFailure } from '../../../lib/log.ts';
import type { RunsEnvironment } from '../../environment.ts';
import type { RunLogs } from '../../logs/port.ts';
import type { Claim, Queue } from '../../queue/port.ts';
import type { ShipTraits } from '../../ships/index.ts';
import type { Peer } from '../port.ts';

/** A ship that may connect: a member of the fleet, or the ship in this process. */
export interface Member {
  readonly labels: readonly string[];
  readonly draining: boolean;
  /** It is the program that was asked to drain; it exits when no run is left. */
  readonly ends: boolean;
}

/** What a session requires of the server. */
export interface SessionContext {
  readonly env: Pick<RunsEnvironment, 'clock' | 'config' | 'version'>;
  readonly log: Log;
  readonly queue: Pick<Queue, 'accept' | 'reject' | 'renew' | 'complete' | 'resume' | 'addWorker'>;
  readonly logs: Pick<RunLogs, 'nextSeq'>;
  /** Rejects with `SecretUnavailable` if a secret of the run is not available. */
  readonly assignmentOf: (claim: Claim) => Promise<Assignment>;
  /** Trusted roots, DER each. */
  readonly trustBundle: () => Uint8Array[];
  /**
   * Reads the membership of a ship, and stores what it reports about itself. Rejects with a `FleetRefusal` if it is not
   * a member.
   */
  readonly admit: (shipId: string, sessionId: string, traits: ShipTraits) => Promise<Member>;
  readonly fencedWrite: (rpc: 'Accept') => void;
  /**
   * Handles the end of a run like the call. Rejects with a `FleetRefusal`, or with another error if the end could not
   * be recorded.
   */
  readonly completeRun: (peer: Peer, request: CompleteRunRequest) => Promise<CompleteRunResponse>;
  /** Logs ends that could not be recorded: once while they repeat. */
  readonly completions: Pick<RepeatedFailure, 'note' | 'over'>;
  /** A sign of life, with the ship's clock at that moment; 0 if it did not send it. */
  readonly seen: (shipId: string, unixMs: number) => void;
}
