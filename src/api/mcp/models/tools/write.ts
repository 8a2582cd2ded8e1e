import { ServiceError } from '../../../../errors/index.ts';
import { withDocument } from '../advice.ts';
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

export const edit: ModelTool = {
  name: 'edit',
  title: 'Edit a document',
  description:
    'Replaces old_text, which must be in the document exactly once, by new_text. Without old_text, new_text is ' +
    'added at the end.',
  properties: {
    ...DOCUMENT,
    old_text: { type: 'string', description: 'The text to replace, exactly as read returns it.' },
    new_text: { type: 'string', minLength: 0, description: 'The text that replaces it.' },
  },
  required: ['collection', 'key', 'new_text'],
  example: { collection: 'notes', key: 'shopping-list', old_text: '- apples', new_text: '- pears' },
  hint: 'destructive',
  needs: ['getDocument', 'updateDocument'],
  async run(args, service) {
    const name = documentOf(args, service);
    const { contentMd, checksum } = await withDocument(service, name, () => service.call('getDocument', name));
    const edited = changed(contentMd, args.get<string>('old_text'), args.text('new_text'));
    try {
      await service.call('updateDocument', { ...name, contentMd: edited, ifChecksum: checksum });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'precondition_failed') throw error;
      throw new ServiceError('precondition_failed', 'somebody else changed the document just now', {
        body: { advice: 'read it again, then edit what it says now' },
      });
    }
    return { ...name, status: 'edited', total_characters: edited.length };
  },
};

function changed(text: string, old: string | undefined, replacement: string): string {
  if (old === undefined) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${replacement}`;
  const at = text.indexOf(old);
  if (at === -1)
    throw new ServiceError('invalid_argument', 'old_text is not in the document', {
      body: { advice: 'read the document and copy old_text from it, with the same letter case, spaces and line ends' },
    });
  if (text.includes(old, at + 1))
    throw new ServiceError('invalid_argument', 'old_text is in the document more than once', {
      body: { advice: 'make old_text longer, with the words before or behind it, until it is unique' },
    });
  return text.slice(0, at) + replacement + text.slice(at + old.length);
}
