import { ServiceError } from '../../../../errors/index.ts';
import { DOCUMENT, documentOf } from '../arguments.ts';
import type { ModelTool } from '../model-tool.ts';

export const write: ModelTool = {
  name: 'write',
  title: 'Write a document',
  description:
    'Creates a document or replaces its whole text. Earlier versions are kept. To change a part of a text call edit.',
  properties: {
    ...DOCUMENT,
    content: { type: 'string', minLength: 0, description: 'The whole text, in markdown.' },
    meta: {
      type: 'object',
      description:
        'Metadata, such as {"title": "Hello", "tags": ["news"]}; replaces all that there is, absent keeps it.',
    },
  },
  required: ['collection', 'key', 'content'],
  example: { collection: 'notes', key: 'shopping-list', content: '# Shopping\n\n- apples' },
  hint: 'destructive',
  needs: ['addDocument', 'updateDocument'],
  async run(args, service) {
    const name = documentOf(args, service);
    const input = { ...name, contentMd: args.text('content'), ...args.pick({ meta: 'meta' }) };
    try {
      await service.call('updateDocument', input);
      return { ...name, status: 'replaced' };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    }
    await service.call('addDocument', input);
    return { ...name, status: 'created' };
  },
};
