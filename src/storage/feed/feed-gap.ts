/**
 * The changes after a position are missing: they were pruned, or a restore restarted the feed. The reader must rebuild
 * from the tables and continue from the head.
 */
export class FeedGap extends Error {
  readonly after: number;
  readonly oldest: number;
  readonly head: number;

  constructor(after: number, oldest: number, head: number) {
    super(`the change feed goes from ${oldest} to ${head} and cannot continue after ${after}`);
    this.name = 'FeedGap';
    this.after = after;
    this.oldest = oldest;
    this.head = head;
  }
}
