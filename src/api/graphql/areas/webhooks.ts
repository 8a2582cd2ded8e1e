import type { Webhook } from '../../../../generated/docs/sdk/types.gen.ts';
import { defineArea } from './area.ts';
import { complete } from './present.ts';

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
      presentWebhook((await invoke('updateWebhook', { ...input, ...(events && { events: [...events] }) })).value),
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
