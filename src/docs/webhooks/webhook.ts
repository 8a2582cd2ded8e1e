/** Why a webhook is paused; empty if it is not. */
export type Pause = '' | 'requested' | 'failing';

/** A webhook as it is stored. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** As given by the client. */
  readonly events: readonly string[];
  /** As given by the client; empty for every collection. */
  readonly collection: string;
  /** Empty means the secret of the server. */
  readonly secret: string;
  readonly pause: Pause;
  /** The error because of which it was paused. */
  readonly lastError: string;
  /** Unix seconds. */
  readonly createdAt: number;
}
