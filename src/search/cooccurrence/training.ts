import { Worker } from 'node:worker_threads';
import { workerFile } from '../../lib/worker-file.ts';
import { type NeighbourData, Neighbours } from './neighbours.ts';
import type { TermRules } from './terms.ts';
import { Trainer, type TrainingDocument } from './trainer.ts';

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
  readonly #worker: Worker;
  #pending: PromiseWithResolvers<TrainingReply> | undefined;
  #ended: Error | undefined;

  constructor(rules: TermRules) {
    this.#worker = new Worker(workerFile(import.meta.url, 'train-thread'), { workerData: rules });
    this.#worker.on('message', (reply: TrainingReply) => this.#pending?.resolve(reply));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end());
  }

  async add(documents: readonly TrainingDocument[]): Promise<void> {
    await this.#ask({ documents });
  }

  async finish(): Promise<Neighbours> {
    return new Neighbours(await this.#ask('finish') as NeighbourData);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: TrainingRequest): Promise<TrainingReply> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#pending = Promise.withResolvers();
    this.#worker.postMessage(request);
    return this.#pending.promise;
  }

  #end(cause?: unknown): void {
    this.#ended ??= new Error('the thread that learns neighbours of terms has ended', { cause });
    this.#pending?.reject(this.#ended);
  }
}
