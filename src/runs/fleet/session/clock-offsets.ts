/** Differences that the way of a message can explain are no reason to touch a time. */
const LEAST_MS = 2000;
/** Of so many heartbeats the one that was quickest on its way says most. */
const REMEMBERED = 8;

/** How far ships' clocks are off, learnt from their heartbeats. */
export class ClockOffsets {
  readonly #samples = new Map<string, number[]>();

  /** A heartbeat that was sent at `unixMs` by the ship's clock has arrived at `nowMs` by the server's. */
  note(shipId: string, unixMs: number, nowMs: number): void {
    const samples = this.#samples.get(shipId) ?? [];
    this.#samples.set(shipId, [...samples.slice(1 - REMEMBERED), nowMs - unixMs]);
  }

  /** Milliseconds to add to a time of the ship; 0 where its clock is right, or unknown. */
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
