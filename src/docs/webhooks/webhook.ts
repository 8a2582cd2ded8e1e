/** Why a webhook is paused; empty while it is not. */
export type Pause = '' | 'requested' | 'failing';

/** A webhook as it is kept. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** As given. */
  readonly events: readonly string[];
  /** As given; empty for every collection. */
  readonly collection: string;
  /** Empty for that of the server. */
  readonly secret: string;
  readonly pause: Pause;
  /** Why it was paused for failing. */
  readonly lastError: string;
  /** Unix seconds. */
  readonly createdAt: number;
}
