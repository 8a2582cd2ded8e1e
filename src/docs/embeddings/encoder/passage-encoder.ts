import type { EmbeddingProvider } from '../../../embedding/index.ts';
import { type Clock, unixSeconds } from '../../../lib/clock.ts';
import type { BodyCodec, Sql } from '../../../storage/index.ts';
import { collectionOfId } from '../../documents/index.ts';
import { type Chunker, embeddedText } from '../chunker.ts';
import { loadDocuments, type LoadedDocument } from '../load-documents.ts';
import { embeddedBodies, keepVectors, keptVectors, nameOf, type PassageName } from './passage-rows.ts';

export interface PassageEncoderDeps {
  readonly sql: Sql;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  /** How documents are cut in a space. */
  readonly chunkerOf: (space: string) => Chunker;
  /** Whether vectors of a collection may be written: not for encrypted collections, and never in read mode. */
  readonly mayKeep: (collection: string) => boolean;
}

/** Passages in one call of the encoder: a fraction of a second of work, so that time limits are checked often. */
const AT_ONCE = 8;
/** Number of documents whose bodies are in memory at once. */
const DOCUMENTS_AT_ONCE = 16;

/** Makes vectors of passages with the encoder, each once, and stores them. */
export class PassageEncoder {
  readonly #deps: PassageEncoderDeps;
  /** Vectors that are being made. */
  readonly #making = new Map<string, Promise<Float32Array | undefined>>();

  constructor(deps: PassageEncoderDeps) {
    this.#deps = deps;
  }

  /** The stored vectors of some passages, by `nameOf`. */
  kept(provider: EmbeddingProvider, passages: readonly PassageName[]): Promise<Map<string, Float32Array>> {
    return keptVectors(this.#deps.sql, provider, passages);
  }

  /**
   * Makes the missing vectors of passages of one space, and puts each batch into `into` after it is stored. Passages
   * that are no longer those of the current body are skipped. Stops between two batches when `isOver` returns true.
   */
  async make(provider: EmbeddingProvider, passages: readonly PassageName[], into: Map<string, Float32Array>,
    isOver: () => boolean): Promise<void>
  {
    const others = passages.filter((passage) => this.#making.has(nameOf(passage)));
    const own = passages.filter((passage) => !this.#making.has(nameOf(passage)));
    const ords = [...new Set(own.map(({ ord }) => ord))];
    for (let i = 0; i < ords.length && !isOver(); i += DOCUMENTS_AT_ONCE) {
      const some = new Set(ords.slice(i, i + DOCUMENTS_AT_ONCE));
      await this.#makeOf(provider, own.filter(({ ord }) => some.has(ord)), into, isOver);
    }
    for (const passage of others) {
      if (isOver()) return;
      const vector = await this.#making.get(nameOf(passage));
      if (vector !== undefined) into.set(nameOf(passage), vector);
    }
  }

  async #makeOf(provider: EmbeddingProvider, passages: readonly PassageName[], into: Map<string, Float32Array>,
    isOver: () => boolean): Promise<void>
  {
    const { sql, codec, chunkerOf, clock } = this.#deps;
    const [{ space }] = passages as [PassageName];
    const ords = [...new Set(passages.map(({ ord }) => ord))];
    const bodies = await embeddedBodies(sql, space, ords);
    const { documents } = await loadDocuments(sql, codec, chunkerOf(space), ords, unixSeconds(clock));
    const present = new Map(documents.flatMap((document) => {
      const body = bodies.get(document.ord);
      const isSame = body !== undefined && body.crc === document.crc && body.bytes === document.bytes &&
        body.chunking === document.chunking;
      return isSame ? [[document.ord, document] as const] : [];
    }));
    const texts = passages.flatMap((passage) => {
      const chunk = present.get(passage.ord)?.chunks[passage.chunk];
      return chunk === undefined ? [] : [{ ...passage, text: embeddedText(chunk) }];
    });
    for (let i = 0; i < texts.length && !isOver(); i += AT_ONCE) {
      const some = texts.slice(i, i + AT_ONCE).filter((passage) => !this.#making.has(nameOf(passage)));
      if (some.length > 0) await this.#makeBatch(provider, present, some, into);
    }
  }

  async #makeBatch(provider: EmbeddingProvider, documents: ReadonlyMap<number, LoadedDocument>,
    passages: readonly (PassageName & { readonly text: string })[], into: Map<string, Float32Array>): Promise<void>
  {
    const made = this.#embedAndKeep(provider, documents, passages);
    for (const [i, passage] of passages.entries()) {
      this.#making.set(nameOf(passage), made.then((vectors) => vectors[i], () => undefined));
    }
    try {
      for (const [i, vector] of (await made).entries()) into.set(nameOf(passages[i]!), vector);
    } finally {
      for (const passage of passages) this.#making.delete(nameOf(passage));
    }
  }

  async #embedAndKeep(provider: EmbeddingProvider, documents: ReadonlyMap<number, LoadedDocument>,
    passages: readonly (PassageName & { readonly text: string })[]): Promise<Float32Array[]>
  {
    const { sql, mayKeep } = this.#deps;
    const vectors = await provider.embed(passages.map(({ text }) => text), 'document');
    const { model, variant, dimensions } = provider;
    const own = passages.map(({ ord, space, chunk }, i) => ({ ord, space, chunk, vector: vectors[i]! }));
    const kept = [...Map.groupBy(own, ({ ord }) => ord)].filter(([ord]) =>
      mayKeep(collectionOfId(documents.get(ord)!.id))
    );
    if (kept.length > 0) {
      await sql.transaction(async (tx) => {
        for (const [ord, some] of kept)
          await keepVectors(tx, { model, variant, dimensions }, { ...documents.get(ord)!, space: some[0]!.space },
            some);
      });
    }
    return vectors;
  }
}
