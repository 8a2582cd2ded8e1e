import { withDocument } from '../advice.ts';
import { DOCUMENT, documentOf } from '../arguments.ts';
import type { ModelTool } from '../model-tool.ts';

export const deleteTool: ModelTool = {
  name: 'delete',
  title: 'Delete a document',
  description: 'Deletes a document. For a while, restore brings it back.',
  properties: DOCUMENT,
  required: ['collection', 'key'],
  example: { collection: 'notes', key: 'shopping-list' },
  hint: 'destructive',
  needs: ['deleteDocument'],
  async run(args, service) {
    const name = documentOf(args, service);
    await withDocument(service, name, () => service.call('deleteDocument', name));
    return { ...name, status: 'deleted' };
  },
};
