/** What the listings and the handlers need of the ships that are connected to this server. */
export interface Connections {
  /** Milliseconds since 1970 of its last sign of life to this server; undefined when there was none. */
  lastSeen(shipId: string): number | undefined;
  /** Whether its program takes no more runs of its own accord. */
  isDraining(shipId: string): boolean;
  /** Tells it to take no more runs. */
  drain(shipId: string): void;
  /** Tells it to take runs again. */
  undrain(shipId: string): void;
  /** The session of its program, or empty when it is not connected here. */
  sessionOf(shipId: string): string;
  /** It is a member no more: ends its connection. */
  expel(shipId: string, how: 'revoked' | 'left' | 'unknown'): void;
}
