import { expect, it } from 'vitest';
import { nodeLoop, turns } from '../../../lib/turns.ts';
import { receiveDelivery, type ReceiveDeps } from './receive.ts';

async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{}');
}

it('is read in a turn of the event loop that has time left, so that many at once block nothing', async () => {
  let readIn: number | undefined;
  const config = { forges: [{ name: 'bare', kind: 'git', webhook_secret: 'HOOK' }] };
  const deps = {
    env: { config: { current: () => ({ config }) }, clock: { now: () => 0 } },
    secretValue: () => {
      readIn = nodeLoop.turn();
      return 'key';
    },
  } as unknown as ReceiveDeps;
  const turn = nodeLoop.turn();
  expect(turns.isSpent).toBe(false);
  for (const end = performance.now() + 30; performance.now() < end;);
  const body = { content: content(), maxRecordBytes: 100, headers: {} };
  await expect(receiveDelivery({ kind: 'git', forge: undefined, body } as never, deps)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  expect(readIn).not.toBe(turn);
});
