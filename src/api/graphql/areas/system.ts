import type { ValidationSchema } from '../../../../generated/docs/sdk/types.gen.ts';
import { defineArea } from './area.ts';
import { toMeta } from './input.ts';
import { complete } from './present.ts';

export const system = defineArea('system', {
  Query: {
    stats: (_, _args, { read, invoke }, info) => read(info, async () => (await invoke('getStats', {})).value),
  },
});

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
    webhooks: (_, args, { read, invoke }, info) => read(info, async () => complete(await invoke('listWebhooks', args))),
    webhookDeadLetters: (_, args, { read, invoke }, info) =>
      read(info, async () => complete(await invoke('listWebhookDeadLetters', args)).deadLetters),
  },
  Mutation: {
    registerWebhook: async (_, { input }, { invoke }) =>
      (await invoke('createWebhook', { ...input, events: [...input.events] })).value,
    updateWebhook: async (_, { input: { events, ...input } }, { invoke }) =>
      (await invoke('updateWebhook', { ...input, events: events && [...events] })).value,
    redeliverWebhooks: async (_, args, { invoke }) => (await invoke('redeliverWebhooks', args)).value.queued,
    testWebhook: async (_, args, { invoke }) => (await invoke('testWebhook', args)).value,
    deleteWebhook: async (_, args, { invoke }) => (await invoke('deleteWebhook', args)).value.status === 'deleted',
  },
});
