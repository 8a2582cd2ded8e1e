import type { ModelTool } from '../model-tool.ts';

/** The owner of a memory if the call contains none. */
const DEFAULT_USER = 'assistant';
const DEFAULT_TOPIC = 'general';

export const remember: ModelTool = {
  name: 'remember',
  title: 'Remember something',
  description: 'Keeps a fact, a preference or a decision for later conversations, where recall finds it.',
  properties: {
    text: { type: 'string', description: 'What to remember, as a sentence that is understood by itself.' },
    topic: { type: 'string', description: `What it belongs to; ${DEFAULT_TOPIC} when absent.` },
    user: { type: 'string', description: `Whose memory; ${DEFAULT_USER} when absent.` },
  },
  required: ['text'],
  example: { text: 'Ada prefers short answers.', topic: 'preferences' },
  hint: 'write',
  needs: ['startSession', 'addMessage', 'listSessions'],
  async run(args, service) {
    const topic = args.get<string>('topic') ?? DEFAULT_TOPIC;
    const userId = args.get<string>('user') ?? DEFAULT_USER;
    const { sessions: [open] } = await service.call('listSessions', { userId, scenario: topic, limit: 1 });
    const { sessionId } = open ?? await service.call('startSession', { userId, scenario: topic, title: topic, ttl: 0 });
    await service.call('addMessage', { sessionId, role: 'assistant', content: args.text('text') });
    return { status: 'remembered', topic, user: userId };
  },
};
