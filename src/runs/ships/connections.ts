/** What listings and handlers require of the ships that are connected to this server. */
export interface Connections {
  /** Milliseconds since 1970 of its last sign of life to this server; undefined when there was none. */
  lastSeen(shipId: string): number | undefined;
  /** Whether its program has decided to take no more runs. */
  isDraining(shipId: string): boolean;
  /** Tells it to take no more runs. */
  drain(shipId: string): void;
  /** Tells it to take runs again. */
  undrain(shipId: string): void;
  /** The session of its program; empty if it is not connected here. */
  sessionOf(shipId: string): string;
  /** It is no longer a member: ends its connection. */
  expel(shipId: string, how: 'revoked' | 'left' | 'unknown'): void;
}
