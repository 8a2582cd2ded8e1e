import type { BackupStats, CollectionStats, Stats, ValidationSchema, Webhook } from '../../../../generated/docs/sdk/types.gen.ts';
import { defineArea } from './area.ts';
import { toMeta } from './input.ts';
import { complete } from './present.ts';

export const system = defineArea('system', {
  Query: {
    stats: (_, _args, { read, invoke }, info) =>
      read(info, async () => presentStats((await invoke('getStats', {})).value)),
  },
});

function presentStats({ collections, backups, ...stats }: Stats) {
  return {
    ...stats,
    collections: collections.map(presentCollection),
    backups: backups === undefined ? null : presentBackups(backups),
  };
}

function presentBackups(
  { nextAt, lastGoodAt, lastDurationSeconds, lastSizeBytes, lastError, ...backups }: BackupStats,
) {
  return {
    ...backups,
    nextAt: nextAt ?? null,
    lastGoodAt: lastGoodAt ?? null,
    lastDurationSeconds: lastDurationSeconds ?? null,
    lastSizeBytes: lastSizeBytes ?? null,
    lastError: lastError ?? null,
  };
}

function presentCollection({ indexBytes: { fullText, vectors, columns, geo, spelling }, ...numbers }: CollectionStats) {
  return {
    ...numbers,
    indexBytes: {
      fullText: fullText ?? null,
      vectors: vectors ?? null,
      columns: columns ?? null,
      geo: geo ?? null,
      spelling: spelling ?? null,
    },
  };
}

export const schemas = defineArea('schemas', {
  Query: {
    schema: (_, args, { read, invoke }, info) =>
      read(info, async () => {
        const { collection, schema } = (await invoke('getSchema', args)).value;
        return schema && presentSchema(collection, schema);
      }),
    schemas: (_, args, { read, invoke }, info) =>
      read(info, async () => {
        const { schemas: all } = complete(await invoke('listSchemas', args));
        return all.map(({ collection, schema }) => presentSchema(collection, schema));
      }),
  },
  Mutation: {
    validateDocument: async (_, { collection, meta }, { invoke }) =>
      (await invoke('validateDocument', { collection, meta: toMeta(meta) })).value,
    setSchema: async (_, { input }, { invoke }) => (await invoke('setSchema', input)).value.status === 'ok',
    deleteSchema: async (_, args, { invoke }) => (await invoke('deleteSchema', args)).value.status === 'ok',
  },
});

/** A schema that is set is always enforced: there is no separate switch. */
function presentSchema(collection: string, schema: ValidationSchema) {
  return { collection, schema: JSON.stringify(schema), enabled: true };
}

export const webhooks = defineArea('webhooks', {
  Query: {
    webhooks: (_, args, { read, invoke }, info) =>
      read(info, async () => complete(await invoke('listWebhooks', args)).map(presentWebhook)),
    webhookDeadLetters: (_, args, { read, invoke }, info) =>
      read(info, async () => {
        const { deadLetters } = complete(await invoke('listWebhookDeadLetters', args));
        return deadLetters.map(({ httpStatus = null, ...letter }) => ({ ...letter, httpStatus }));
      }),
  },
  Mutation: {
    registerWebhook: async (_, { input }, { invoke }) =>
      presentWebhook((await invoke('createWebhook', { ...input, events: [...input.events] })).value),
    updateWebhook: async (_, { input: { events, ...input } }, { invoke }) =>
      presentWebhook((await invoke('updateWebhook', { ...input, events: events && [...events] })).value),
    redeliverWebhooks: async (_, args, { invoke }) => (await invoke('redeliverWebhooks', args)).value.queued,
    testWebhook: async (_, args, { invoke }) => {
      const { httpStatus = null, error = null, ...test } = (await invoke('testWebhook', args)).value;
      return { ...test, httpStatus, error };
    },
    deleteWebhook: async (_, args, { invoke }) => (await invoke('deleteWebhook', args)).value.status === 'deleted',
  },
});

function presentWebhook({ pauseReason, lastError, ...webhook }: Webhook) {
  return { ...webhook, pauseReason: pauseReason ?? null, lastError: lastError ?? null };
}
