/** Who calls and through what; adapters make one for each request. */
export interface Caller {
  readonly protocol: Protocol;
  readonly requestId: string;
  /** Address of the peer, where the protocol has one. */
  readonly ip?: string;
  readonly userAgent?: string;
  /** Credential as it was presented, not yet checked. */
  readonly credential?: { readonly scheme: 'bearer' | 'api-key'; readonly value: string };
  /** Aborts when the client has gone. */
  readonly signal?: AbortSignal;
}

export type Protocol = 'http' | 'grpc' | 'graphql' | 'mcp';

export type AccessMode = 'read' | 'write' | 'wr';
