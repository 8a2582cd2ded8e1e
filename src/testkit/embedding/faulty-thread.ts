import { parentPort, threadId } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from '../../embedding/local/model-client.ts';

/**
 * Replaces the thread that runs models, and does what its first text says: `crash` throws, `exit` ends, `bad` fails,
 * `wait` never replies. Every other text has the vector [length, thread id].
 */
const port = parentPort!;

port.on('message', (request: ThreadRequest) => {
  if (request.op === 'close') return port.close();
  const [first] = request.texts;
  if (first === 'crash') throw new Error('the thread crashed');
  if (first === 'exit') return port.close();
  if (first === 'bad')
    return port.postMessage({ op: 'failed', step: 'run', message: 'bad text', missing: false } satisfies ThreadReply);
  if (first === 'wait') return;
  port.postMessage({
    op: 'vectors',
    values: Float32Array.from(request.texts.flatMap((text) => [text.length, threadId])),
    size: 2,
  } satisfies ThreadReply);
});
