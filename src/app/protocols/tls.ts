import { readFile } from 'node:fs/promises';
import { ConfigError } from '../../lib/config-error.ts';
import type { TlsMaterial } from '../../lib/tls.ts';
import type { Settings } from '../settings/index.ts';

/** Certificates and keys, read once at the start; undefined without TLS. Throws a `ConfigError` that names a file that cannot be read. */
export async function readTls({ tls }: Settings): Promise<TlsMaterial | undefined> {
  if (!tls.enabled) return undefined;
  return {
    cert: await read('SVC_TLS_CERT', tls.cert),
    key: await read('SVC_TLS_KEY', tls.key),
    ...(tls.clientCa !== '' && { clientCa: await read('SVC_TLS_CLIENT_CA', tls.clientCa), clientAuth: tls.clientAuth }),
  };
}

async function read(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ConfigError([`${variable}: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`]);
  }
}
