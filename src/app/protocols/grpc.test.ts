import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTls } from './grpc.ts';

describe('the TLS material of gRPC', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-tls-'));
    for (const name of ['cert', 'key', 'ca']) await writeFile(join(folder, name), name);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const settings = () => ({ enabled: true, cert: join(folder, 'cert'), key: join(folder, 'key'), clientCa: '', clientAuth: 'request' as const, insecureOk: false });

  it('comes from the files that the settings name', async () => {
    expect(await readTls(settings())).toEqual({ cert: Buffer.from('cert'), key: Buffer.from('key') });
    expect(await readTls({ ...settings(), clientCa: join(folder, 'ca') })).toEqual({ cert: Buffer.from('cert'), key: Buffer.from('key'), clientCa: Buffer.from('ca'), clientAuth: 'request' });
  });

  it('is not looked for without TLS', async () => {
    expect(await readTls({ ...settings(), enabled: false, cert: 'no such file' })).toBeUndefined();
  });
});
