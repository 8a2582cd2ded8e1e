/** A connection to another node. */
export interface NodeConnection {
  /** Has the node answer a call for a client of this one, both in JSON. Rejects if it gives no answer. */
  ask(call: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  /** Asks the node what parts of collections in its memory have (`PartGatherer`). Rejects if it gives no answer. */
  gather(questions: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  close(): void;
}

/** Opens a connection to a node's gRPC listener, by its address; it connects with the first call. */
export type ConnectNode = (address: string) => NodeConnection;
