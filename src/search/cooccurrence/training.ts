import { ThreadClient, workerFile } from '../../lib/thread-client.ts';
import { type NeighbourData, Neighbours } from './neighbours.ts';
import { type TermRules, Trainer, type TrainingDocument } from './trainer.ts';

/** A model in training. Only one call may run at a time. */
export interface Training {
  /** Adds documents; resolves when more can be accepted. */
  add(documents: readonly TrainingDocument[]): Promise<void>;
  finish(): Promise<Neighbours>;
  /** Cancels the work in progress or frees resources; further calls do nothing. */
  close(): Promise<void>;
}

/** Trains on the calling thread: for texts that take a few milliseconds. */
export function trainHere(rules: TermRules): Training {
  const trainer = new Trainer(rules);
  return {
    async add(documents) {
      for (const document of documents) trainer.add(document);
    },
    finish: async () => new Neighbours(trainer.finish()),
    async close() {
      // There is nothing to free.
    },
  };
}

/** Messages to the thread (train-thread.ts), which replies to each. */
export type TrainingRequest = { readonly documents: readonly TrainingDocument[] } | 'finish';
export type TrainingReply = 'taken' | NeighbourData;

/** Trains in a thread of its own, whose memory is freed with it. */
export class TrainingThread implements Training {
  readonly #thread: ThreadClient<TrainingRequest, TrainingReply>;

  constructor(rules: TermRules) {
    this.#thread = new ThreadClient(workerFile(import.meta.url, 'train-thread'), {
      name: 'the thread that learns neighbours of terms',
      restarts: false,
      data: () => rules,
    });
  }

  async add(documents: readonly TrainingDocument[]): Promise<void> {
    await this.#thread.request({ documents });
  }

  async finish(): Promise<Neighbours> {
    return new Neighbours(await this.#thread.request('finish') as NeighbourData);
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}
