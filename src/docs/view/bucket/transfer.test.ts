import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../net/objects.ts';
import type { StoredFile } from '../checkpoint-files.ts';
import { foldersOf, type Manifest, manifestPath, parseManifestPath, readManifest, writeManifest } from './manifest.ts';
import { DamagedCheckpoint, receiveSegments, SEGMENT_BYTES, sendSegments } from './transfer.ts';

const FOLDERS = foldersOf('fts', 'Träume/1');

/** A store in memory, which counts the requests that run at once, and fails at a given put. */
class MemoryObjects implements ObjectStore {
  readonly objects = new Map<string, Uint8Array>();
  puts = 0;
  failsAt = Infinity;
  running = 0;
  most = 0;

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.puts++;
    const isFailing = this.puts >= this.failsAt;
    await this.#turn();
    if (isFailing) throw new Error('broken');
    this.objects.set(name, Uint8Array.from(bytes));
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    await this.#turn();
    return this.objects.get(name);
  }

  async remove(name: string): Promise<void> {
    this.objects.delete(name);
  }

  async list() {
    return { objects: [...this.objects.keys()].map((name) => ({ name, putAt: 0 })), next: undefined };
  }

  async #turn(): Promise<void> {
    this.most = Math.max(this.most, ++this.running);
    await new Promise((resolve) => setImmediate(resolve));
    this.running--;
  }
}

const HEADER = { collection: 'Träume/1', lsn: 7, at: 8 };

function fileOf(bytes: Uint8Array): StoredFile {
  return {
    header: HEADER,
    length: bytes.length,
    read: async (at, length) => bytes.subarray(at, at + length),
    close: async () => {},
  };
}

/** Bytes that differ between segments, made quickly. */
function bytesOf(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += SEGMENT_BYTES)
    bytes.set(createHash('sha256').update(`${seed}/${at}`).digest().subarray(0, length - at), at);
  return bytes;
}

const counts = () => ({ bytesUp: 0, bytesDown: 0, sent: 0, reused: 0 });
const manifestOf = (segments: Manifest['segments']): Manifest => ({
  magic: 'QTEST001',
  header: HEADER,
  kept: { lsn: 9, at: 10 },
  owner: 'me',
  epoch: 3,
  segments,
});

async function received(store: ObjectStore, manifest: Manifest): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(receiveSegments(store, FOLDERS, manifest, counts())));
}

describe('segments', () => {
  it.each([0, 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 9 * SEGMENT_BYTES + 5])('of %d bytes come back as they were',
    async (length) => {
      const store = new MemoryObjects();
      const bytes = bytesOf(length, 1);
      const counted = counts();
      const segments = await sendSegments(store, FOLDERS, fileOf(bytes), {
        known: new Set(),
        sent: new Set(),
        counts: counted,
        check() {},
      });
      expect(counted).toMatchObject({ bytesUp: length, sent: Math.ceil(length / SEGMENT_BYTES), reused: 0 });
      expect((await received(store, manifestOf(segments))).equals(bytes)).toBe(true);
      expect(store.most).toBeLessThanOrEqual(4);
    });

  it('that did not change are not sent again', async () => {
    const store = new MemoryObjects();
    const send = (bytes: Uint8Array, known: ReadonlySet<string>) =>
      sendSegments(store, FOLDERS, fileOf(bytes), { known, sent: new Set(), counts: counts(), check() {} });
    const before = bytesOf(4 * SEGMENT_BYTES, 1);
    const first = await send(before, new Set());
    const after = Uint8Array.from(before);
    after[2 * SEGMENT_BYTES]! ^= 1;
    const second = await send(after, new Set(first.map(({ hash }) => hash)));
    expect([store.puts, first.filter(({ hash }, i) => hash === second[i]!.hash)]).toEqual([5, first.toSpliced(2, 1)]);
    expect((await received(store, manifestOf(second))).equals(after)).toBe(true);
  });

  it('after one that fails are not sent, and the next try sends what is missing', async () => {
    const store = new MemoryObjects();
    const bytes = bytesOf(20 * SEGMENT_BYTES, 1);
    const sent = new Set<string>();
    const send = () =>
      sendSegments(store, FOLDERS, fileOf(bytes), { known: new Set(), sent, counts: counts(), check() {} });
    store.failsAt = 6;
    await expect(send()).rejects.toThrow('broken');
    expect([store.puts < 12, sent.size]).toEqual([true, 5]);
    [store.puts, store.failsAt] = [0, Infinity];
    await send();
    expect(store.puts).toBe(15);
  });

  it('that are missing, truncated, or have another bit are detected', async () => {
    const store = new MemoryObjects();
    const segments = await sendSegments(store, FOLDERS, fileOf(bytesOf(3 * SEGMENT_BYTES, 1)), {
      known: new Set(),
      sent: new Set(),
      counts: counts(),
      check() {},
    });
    const name = `${FOLDERS.segments}${segments[1]!.hash}`;
    const whole = store.objects.get(name)!;
    const flipped = Uint8Array.from(whole);
    flipped[1000]! ^= 4;
    for (const bytes of [undefined, whole.subarray(0, -1), flipped]) {
      if (bytes === undefined) store.objects.delete(name);
      else store.objects.set(name, bytes);
      await expect(received(store, manifestOf(segments))).rejects.toThrow(DamagedCheckpoint);
    }
  });
});

describe('a manifest', () => {
  const manifest = manifestOf([{ hash: 'a'.repeat(64), length: 5 }]);

  it('is read as it was written, and not if any of its bytes is another one or missing', () => {
    const written = writeManifest(manifest);
    expect(readManifest(written)).toEqual(manifest);
    fc.assert(fc.property(fc.nat(written.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Buffer.from(written);
      damaged[at]! ^= flip;
      return readManifest(damaged) === undefined && readManifest(written.subarray(0, at)) === undefined;
    }));
  });

  it('has a path that tells its epoch, in the order of epochs', () => {
    const paths = [1, 9, 16, 2 ** 40].map((epoch) => manifestPath(FOLDERS, epoch));
    expect(paths.toSorted()).toEqual(paths);
    expect(paths.map((path) => parseManifestPath(path)?.epoch)).toEqual([1, 9, 16, 2 ** 40]);
    expect([`${paths[0]}.1234.tmp`, 'manifests/x', FOLDERS.segments].map(parseManifestPath)).toEqual([undefined,
      undefined, undefined]);
  });
});
