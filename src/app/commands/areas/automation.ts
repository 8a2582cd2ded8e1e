import type { CommandGroup } from '../operations/catalogue.ts';

export const WEBHOOKS: CommandGroup = {
  name: 'webhooks',
  summary: 'webhooks, and what they could not deliver',
  commands: [{
    name: 'list',
    operation: 'listWebhooks',
    summary: 'list the webhooks',
    columns: ['id', 'url', 'events', 'collection', 'paused', 'deadLetters', 'lastError'],
  }, {
    name: 'add',
    operation: 'createWebhook',
    positions: ['url'],
    summary: 'make a webhook',
    prints: ({ id }) => String(id),
    examples: ['webhooks add https://example.org/hook --events doc.added,doc.updated -c blog'],
  }, { name: 'set', operation: 'updateWebhook', positions: ['id'], summary: 'change or pause a webhook' }, {
    name: 'delete',
    operation: 'deleteWebhook',
    positions: ['id'],
    summary: 'delete a webhook',
    asks: ({ id }) => `Delete the webhook ${String(id)}?`,
    says: () => ['deleted'],
  }, {
    name: 'dead-letters',
    operation: 'listWebhookDeadLetters',
    summary: 'list deliveries that were given up',
    columns: ['deliveryId', 'webhookId', 'event', 'collection', 'key', 'attempts', 'httpStatus', 'error', 'failedAt'],
  }, { name: 'redeliver', operation: 'redeliverWebhooks', summary: 'send deliveries again that were given up' }, {
    name: 'test',
    operation: 'testWebhook',
    positions: ['id'],
    summary: 'send a test to a webhook and show what came back',
  }],
};

export const AUTOMATION: CommandGroup = {
  name: 'automation',
  summary: 'rules that act on changes or by the clock',
  commands: [{
    name: 'list',
    operation: 'listAutomationRules',
    summary: 'list the rules',
    columns: ['id', 'type', 'name', 'enabled', 'collection', 'query', 'schedule', 'webhookUrl'],
  }, { name: 'show', operation: 'getAutomationRule', positions: ['id'], summary: 'show a rule' }, {
    name: 'add',
    operation: 'createAutomationRule',
    summary: 'make a rule',
    prints: ({ id }) => String(id),
    examples: ['automation add --body rule.yaml',
      'automation add --type trigger --name alerts --query outage --webhook-url https://example.org/hook'],
  }, { name: 'set', operation: 'updateAutomationRule', positions: ['id'], summary: 'replace a rule' }, {
    name: 'delete',
    operation: 'deleteAutomationRule',
    positions: ['id'],
    summary: 'delete a rule',
    asks: ({ id }) => `Delete the rule ${String(id)}?`,
    says: () => ['deleted'],
  }, {
    name: 'test',
    operation: 'testAutomationRule',
    positions: ['id'],
    summary: 'show what a rule would find now; nothing is sent',
  }, {
    name: 'logs',
    operation: 'listAutomationLogs',
    summary: 'list what the rules have done, newest first',
    columns: [['timestamp', 'when'], 'ruleName', 'ruleType', 'status', 'httpStatus', 'attempt', 'durationMs', 'error'],
  }],
};

export const MEMORY: CommandGroup = {
  name: 'memory',
  summary: 'conversations that are remembered and recalled',
  commands: [{
    name: 'start',
    operation: 'startSession',
    positions: ['userId'],
    summary: 'start a session and print its id',
    prints: ({ sessionId }) => String(sessionId),
    examples: ['memory start alice --title "Plans"'],
  }, {
    name: 'remember',
    operation: 'addMessage',
    positions: ['sessionId', 'content'],
    summary: 'append a message to a session',
    prints: ({ messageId }) => String(messageId),
    examples: ['memory remember SESSION "The deadline is in May" --role user',
      'memory remember SESSION @- --role assistant < reply.md'],
  }, {
    name: 'recall',
    operation: 'recallMemory',
    positions: ['query'],
    summary: 'search what was said',
    columns: ['score', 'sessionId', 'role', ['document.contentMd', 'text']],
    fixed: { includeContent: true },
    examples: ['memory recall deadline --user-id alice'],
  }, {
    name: 'sessions',
    operation: 'listSessions',
    summary: 'list the sessions',
    columns: ['sessionId', 'userId', 'scenario', 'title', 'messageCount', 'updatedAt', 'expiresAt'],
  }, {
    name: 'history',
    operation: 'getSessionHistory',
    positions: ['sessionId'],
    summary: 'list the messages of a session',
    columns: [['addedAt', 'addedAt'], ['meta.role', 'role'], ['contentMd', 'text']],
  }, { name: 'summarize', operation: 'summarizeSession', positions: ['sessionId'], summary: 'summarise a session' }, {
    name: 'forget',
    operation: 'deleteSession',
    positions: ['id'],
    summary: 'delete a session with its messages',
    asks: ({ id }) => `Delete the session ${String(id)} with its messages?`,
    says: () => ['forgotten'],
  }],
};
