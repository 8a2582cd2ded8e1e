import { defineArea } from './area.ts';
import { complete } from './complete.ts';

export const webhooks = defineArea('webhooks', {
  Query: {
    webhooks: (_, args, { read, invoke }, info) => read(info, async () => complete(await invoke('listWebhooks', args))),
  },
  Mutation: {
    registerWebhook: async (_, { input }, { invoke }) => (await invoke('createWebhook', { ...input, events: [...input.events] })).value,
    deleteWebhook: async (_, args, { invoke }) => (await invoke('deleteWebhook', args)).value.status === 'deleted',
  },
});
