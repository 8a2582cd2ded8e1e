import type { IngestOptions } from '../../../../generated/docs/sdk/types.gen.ts';
import type { IngestDocumentInput, IngestOptionsInput } from '../../../../generated/graphql/resolvers.ts';
import { defineArea } from './area.ts';
import { given, toMeta } from './input.ts';
import { presentDocument } from './present.ts';

export const ingest = defineArea('ingest', {
  Mutation: {
    ingestDocuments: async (_, { collection, documents, options }, { invoke }) => {
      const { value } = await invoke('ingestDocuments', {
        collection,
        documents: documents.map(toItem),
        options: options && toOptions(options),
      });
      const { added, updated, skipped, failed, errors, durationMs, profile } = value;
      const keyCollisions = value.keyCollisions.map(({ lang, keys, urls }) =>
        `${lang}: ${keys.join(', ')}${urls === undefined ? '' : ` (${urls.join(', ')})`}`
      );
      return {
        added,
        updated,
        skipped,
        failed,
        errors,
        durationMs,
        profile,
        keyCollisions,
        collection: value.collection,
      };
    },
    importURL: async (_, { meta, ...page }, { invoke }) =>
      presentDocument((await invoke('importUrl', { ...page, meta: toMeta(meta) })).value),
  },
});

/** `profile` and `keyFrom` are strings in the schema; the pipeline rejects unknown values. */
function toOptions(options: IngestOptionsInput): IngestOptions {
  return given(options) as IngestOptions;
}

function toItem({ meta, ...item }: IngestDocumentInput) {
  return given({ ...item, meta: toMeta(meta) });
}
