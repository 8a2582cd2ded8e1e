/** The worker thread of `TrainingThread`: receives documents, and returns the trained model at the end. */
import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from './neighbours.ts';
import { type TermRules, Trainer, type TrainingReply, type TrainingRequest } from './training.ts';

const port = parentPort!;
const trainer = new Trainer(workerData as TermRules);

port.on('message', (request: TrainingRequest) => {
  if (request === 'finish') {
    const data = trainer.finish();
    port.postMessage(data satisfies TrainingReply, buffersOf(data));
    return;
  }
  for (const document of request.documents) trainer.add(document);
  port.postMessage('taken' satisfies TrainingReply);
});
