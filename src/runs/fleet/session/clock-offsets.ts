/** Differences that the delay of a message can explain are not corrected. */
const LEAST_MS = 2000;
/** Number of heartbeats of which the fastest one is used, because it is the most accurate. */
const MAX_REMEMBERED = 8;

/** Offsets of ships' clocks, measured by their heartbeats. */
export class ClockOffsets {
  readonly #samples = new Map<string, number[]>();

  /** Records a heartbeat: sent at `unixMs` by the ship's clock, received at `nowMs` by the server's. */
  note(shipId: string, unixMs: number, nowMs: number): void {
    const samples = this.#samples.get(shipId) ?? [];
    this.#samples.set(shipId, [...samples.slice(1 - MAX_REMEMBERED), nowMs - unixMs]);
  }

  /** Milliseconds to add to a time of the ship; 0 if its clock is right or its offset unknown. */
  of(shipId: string): number {
    const samples = this.#samples.get(shipId);
    if (samples === undefined) return 0;
    const offset = Math.min(...samples);
    return Math.abs(offset) < LEAST_MS ? 0 : offset;
  }

  forget(shipId: string): void {
    this.#samples.delete(shipId);
  }
}
