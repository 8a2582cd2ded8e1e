import { expect, it } from 'vitest';
import { withSignedBody } from './read-body.ts';

async function* pieces(count: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(bytes);
}

const MiB = 1024 * 1024;
const readSignedBody = (body: Parameters<typeof withSignedBody>[0]) => withSignedBody(body, async (bytes) => bytes);

it('reads a body up to its limit', async () => {
  expect(await readSignedBody({ content: pieces(3, 10), maxRecordBytes: 30 })).toHaveLength(30);
  await expect(readSignedBody({ content: pieces(4, 10), maxRecordBytes: 30 })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

it('refuses bodies while others fill the memory, and takes them again afterwards', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(90 * MiB);
    await promise;
  }
  const first = readSignedBody({ content: slow(), maxRecordBytes: 100 * MiB });
  await expect(readSignedBody({ content: pieces(1, 10 * MiB), maxRecordBytes: 100 * MiB })).rejects.toMatchObject({
    code: 'rate_limited',
  });
  resolve();
  expect(await first).toHaveLength(90 * MiB);
  expect(await readSignedBody({ content: pieces(1, 10 * MiB), maxRecordBytes: 100 * MiB })).toHaveLength(10 * MiB);
});

it('counts a body until its work is done', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = withSignedBody({ content: pieces(1, 90 * MiB), maxRecordBytes: 100 * MiB }, () => promise);
  await expect(readSignedBody({ content: pieces(1, 10 * MiB), maxRecordBytes: 100 * MiB })).rejects.toMatchObject({
    code: 'rate_limited',
  });
  resolve();
  await first;
  expect(await readSignedBody({ content: pieces(1, 10 * MiB), maxRecordBytes: 100 * MiB })).toHaveLength(10 * MiB);
});
