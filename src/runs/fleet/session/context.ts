import type { Log } from '../../../lib/log.ts';
import type { Assignment } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { RunsEnvironment } from '../../environment.ts';
import type { RunLogs } from '../../logs/port.ts';
import type { Claim, Queue } from '../../queue/port.ts';
import type { ShipTraits } from '../../ships/index.ts';

/** A ship that may connect: a member of the fleet, or the ship in this process. */
export interface Member {
  readonly labels: readonly string[];
  readonly draining: boolean;
  /** It is the program that was told to drain, which ends when it is empty. */
  readonly ends: boolean;
}

/** What a session needs of the server. */
export interface SessionContext {
  readonly env: Pick<RunsEnvironment, 'clock' | 'config' | 'version'>;
  readonly log: Log;
  readonly queue: Pick<Queue, 'accept' | 'reject' | 'renew' | 'complete' | 'resume' | 'addWorker'>;
  readonly logs: Pick<RunLogs, 'nextSeq'>;
  readonly assignmentOf: (claim: Claim) => Assignment;
  /** Roots to trust, DER each. */
  readonly trustBundle: () => Uint8Array[];
  /** Reads who it is, and keeps what it says of itself. Rejects with a `FleetRefusal` for one that is no member. */
  readonly admit: (shipId: string, sessionId: string, traits: ShipTraits) => Promise<Member>;
  readonly fencedWrite: (rpc: 'Accept') => void;
  /** A sign of life, with the ship's clock at that moment; 0 where it did not tell. */
  readonly seen: (shipId: string, unixMs: number) => void;
}
