import { crc32 } from 'node:zlib';
import { OrdSet } from '../../../lib/ord-set.ts';
import type { ModelIdentity } from '../../embeddings/index.ts';
import type { ModelCount } from '../vector-search.ts';

interface ModelSet {
  readonly identity: ModelIdentity;
  readonly ords: OrdSet;
  documents: number;
}

/** A set in a checkpoint; its bitmap is in base64. */
interface SavedSet extends ModelIdentity {
  readonly words: string;
}

/** Length of the saved data and its CRC-32, both u32 LE, before the data. */
const PREFIX = 8;

/** The documents of a collection by model: a bitmap of ordinals for each model, because there are few models. */
export class ModelSets {
  readonly #sets: ModelSet[] = [];

  /** Records that a document is now embedded by this model. */
  put(ord: number, identity: ModelIdentity): void {
    let set = this.#find(identity);
    if (set?.ords.has(ord)) return;
    this.remove(ord);
    if (set === undefined) this.#sets.push(set = { identity, ords: new OrdSet(), documents: 0 });
    set.ords.add(ord);
    set.documents += 1;
  }

  remove(ord: number): void {
    const set = this.#of(ord);
    if (set === undefined) return;
    set.ords.delete(ord);
    set.documents -= 1;
  }

  modelOf(ord: number): ModelIdentity | undefined {
    return this.#of(ord)?.identity;
  }

  /** Documents of a model, or of all models; a copy. */
  ordsOf(identity?: ModelIdentity): OrdSet {
    if (identity !== undefined) return copyOf(this.#find(identity)?.ords ?? new OrdSet());
    const all = new OrdSet();
    for (const { ords } of this.#sets) for (const ord of ords) all.add(ord);
    return all;
  }

  /** Most documents first. */
  counts(): ModelCount[] {
    return this.#sets.filter(({ documents }) => documents > 0).map(({ identity, documents }) => ({
      ...identity,
      documents,
    })).sort((a, b) => b.documents - a.documents);
  }

  /** The present state, for `restore`. */
  save(): Uint8Array {
    const saved = this.#sets.map(({ identity: { model, variant, dimensions }, ords: { words } }): SavedSet => ({
      model,
      variant,
      dimensions,
      words: Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64'),
    }));
    const json = Buffer.from(JSON.stringify(saved));
    const prefix = Buffer.alloc(PREFIX);
    prefix.writeUInt32LE(json.length, 0);
    prefix.writeUInt32LE(crc32(json), 4);
    return Buffer.concat([prefix, json]);
  }

  /** Reads the output of `save`, and returns the bytes after it. Rejects when it is damaged. */
  static async restore(
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ models: ModelSets; rest: AsyncIterable<Uint8Array> }> {
    const source = bytes[Symbol.asyncIterator]();
    let buffer = Buffer.alloc(0);
    const upTo = async (length: number): Promise<void> => {
      while (buffer.length < length) {
        const next = await source.next();
        if (next.done === true) throw new Error('the checkpoint ends too early');
        buffer = Buffer.concat([buffer, next.value]);
      }
    };
    await upTo(PREFIX);
    const end = PREFIX + buffer.readUInt32LE(0);
    await upTo(end);
    const json = buffer.subarray(PREFIX, end);
    if (crc32(json) !== buffer.readUInt32LE(4)) throw new Error('the models of the checkpoint are damaged');
    return {
      models: ModelSets.#from(JSON.parse(json.toString()) as SavedSet[]),
      rest: following(buffer.subarray(end), source),
    };
  }

  static #from(saved: readonly SavedSet[]): ModelSets {
    const models = new ModelSets();
    for (const { words, ...identity } of saved) {
      const ords = OrdSet.fromWords(new Uint32Array(Uint8Array.from(Buffer.from(words, 'base64')).buffer));
      models.#sets.push({ identity, ords, documents: ords.size });
    }
    return models;
  }

  #find({ model, variant, dimensions }: ModelIdentity): ModelSet | undefined {
    return this.#sets.find(({ identity }) =>
      identity.model === model && identity.variant === variant && identity.dimensions === dimensions
    );
  }

  #of(ord: number): ModelSet | undefined {
    return this.#sets.find(({ ords }) => ords.has(ord));
  }
}

function copyOf(set: OrdSet): OrdSet {
  return OrdSet.fromWords(set.words.slice());
}

async function* following(first: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
