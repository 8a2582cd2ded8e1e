import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import type { Outbound } from '../../net/index.ts';
import { type S3Settings, S3Store, StoreFailure } from '../../net/objects/index.ts';

/** Stores an object in a bucket, reads and removes it. Throws `invalid_argument` naming the wrong field. */
export async function probeBucket(settings: S3Settings,
  { outbound, timeoutMs }: { readonly outbound: Pick<Outbound, 'fetch'>; readonly timeoutMs: number }): Promise<void>
{
  const content = randomBytes(32);
  const name = createHash('sha256').update(content).digest('hex');
  try {
    const store = new S3Store(settings, { outbound, timeoutMs, folder: 'probe' });
    await store.put(name, content);
    await requireSame(store, name, content);
    await store.remove(name);
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    throw new ServiceError('invalid_argument', `storageConfig.${error.field}: ${error.message}`, { cause: error });
  }
}

async function requireSame(store: S3Store, name: string, content: Buffer): Promise<void> {
  try {
    const read = await store.get(name);
    if (read === undefined || !content.equals(read))
      throw new StoreFailure('the service does not return what was put', { field: 'endpoint', passes: false });
  } catch (error) {
    await store.remove(name).catch(() => undefined);
    throw error;
  }
}
