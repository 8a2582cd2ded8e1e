import { DEFAULT_THRESHOLD, limitOf, momentOf, OFFSET, scoresOf, thresholdOf } from '../arguments.ts';
import { fitting, shortened } from '../fitting.ts';
import { type ModelTool, roomBeside } from '../model-tool.ts';

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

const DEFAULT_LIMIT = 10;
const MAX_TEXT = 1000;

export const recall: ModelTool = {
  name: 'recall',
  title: 'Recall what was remembered',
  description: 'Finds what remember kept, and past conversations, by words and meaning.',
  properties: {
    query: { type: 'string', description: 'What to recall, in plain words.' },
    topic: { type: 'string', description: 'Only of this topic.' },
    user: { type: 'string', description: 'Only of this user.' },
    threshold: thresholdOf(DEFAULT_THRESHOLD),
    limit: limitOf(50, DEFAULT_LIMIT),
    offset: OFFSET,
  },
  required: ['query'],
  example: { query: 'how does Ada like answers' },
  hint: 'read',
  needs: ['recallMemory'],
  async run(args, service) {
    const [limit, offset] = [args.get<number>('limit') ?? DEFAULT_LIMIT, args.get<number>('offset') ?? 0];
    const topic = args.get<string>('topic');
    const { results } = await service.call('recallMemory', {
      query: args.text('query'),
      topK: limit + 1,
      offset,
      includeContent: true,
      threshold: args.get<number>('threshold') ?? DEFAULT_THRESHOLD,
      ...args.pick({ user: 'userId' }),
      filterMeta: topic === undefined ? undefined : { scenario: [topic] },
    });
    const memories = results.map(({ document: { contentMd = '', meta, addedAt }, score, vectorScore }) => ({
      text: shortened(contentMd, MAX_TEXT),
      topic: meta?.['scenario']?.[0] || undefined,
      at: addedAt === undefined ? undefined : momentOf(addedAt),
      ...scoresOf(score, vectorScore),
    }));
    const shown = fitting(memories.slice(0, limit), roomBeside({}, service));
    return {
      memories: shown,
      next_offset: shown.length < memories.length ? offset + shown.length : undefined,
      note: shown.length === 0
        ? 'nothing was found; try other words or a threshold of 0, or leave topic and user out'
        : undefined,
    };
  },
};
