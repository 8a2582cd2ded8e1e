import type { UnitNumber } from './unit.ts';

/** What a node says of itself when it joins. */
export interface NodeFacts {
  readonly name: string;
  /** Where other nodes reach its gRPC listener: host and port. Empty if it has none. */
  readonly address: string;
  /** Version of its build. */
  readonly version: string;
  readonly weight: number;
  /** Bytes of memory for its indexes; 0 for no limit. */
  readonly limit: number;
}

/** What a node says with each renewal of its lease. */
export interface NodeReport {
  /** Bytes of memory that its indexes use. */
  readonly used: number;
  /** The LSN that all its indexes have reached; 0 while they load. */
  readonly position: number;
  /** The number of the holdings that it has announced last. */
  readonly holdings: number;
}

/** A process as its row says. */
export interface ProcessRow extends NodeFacts, NodeReport {
  readonly process: string;
  /** Of the processes of a name, the one with the greatest epoch is the node. */
  readonly epoch: number;
  /** Its lease has ended, and it will never have one again. */
  readonly isGone: boolean;
  readonly isDraining: boolean;
  /** Milliseconds until its lease ends, by the clock of the database; negative once it has ended. */
  readonly remainingMs: number;
}

export interface HoldingsRow {
  readonly process: string;
  readonly number: number;
  readonly units: string;
}

/** A unit whose checkpoints a process writes from now on. */
export interface Owned {
  readonly unit: UnitNumber;
  /** Greater than that of every earlier owner. */
  readonly epoch: number;
}

/**
 * The rows by which nodes know each other. Calls may take effect twice, and later than they reject. They reject with
 * `unavailable` when the database cannot be reached.
 */
export interface ClusterRows {
  /**
   * Makes a process, which no other call has named before, the one of its name, with a lease from now on. Returns false
   * if the name has a process whose lease has not ended, unless `byForce`: a node that starts again need not wait.
   */
  join(facts: NodeFacts, process: string, leaseMs: number, byForce: boolean): Promise<boolean>;
  /** Extends the lease of a process; false if the process is gone, or no longer the one of its name. */
  renew(process: string, leaseMs: number, report: NodeReport): Promise<boolean>;
  /** Ends the lease of a process. */
  leave(process: string): Promise<void>;
  /** Marks processes whose leases have ended as gone, and forgets what nobody needs to know any more. */
  bury(): Promise<void>;
  /** The last process of each name, and others that are not gone, by name and epoch. */
  processes(): Promise<ProcessRow[]>;
  /** Replaces what a process has announced. */
  announce(holdings: HoldingsRow): Promise<void>;
  holdingsOf(processes: readonly string[]): Promise<HoldingsRow[]>;
  /** Says whether a node is draining, now and after restarts; false if there is no node of this name. */
  setDraining(name: string, isDraining: boolean): Promise<boolean>;
  /** Makes a process the owner of those units that no process owns which is not gone, and returns these. */
  take(process: string, units: readonly UnitNumber[]): Promise<Owned[]>;
  /** The units that a process owns. */
  ownedBy(process: string): Promise<Owned[]>;
  /** Gives up units that the process owns in these epochs. */
  release(process: string, owned: readonly Owned[]): Promise<void>;
}
