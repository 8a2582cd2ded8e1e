import { ServiceError } from '../../../../errors/index.ts';
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

export const restore: ModelTool = {
  name: 'restore',
  title: 'Restore an earlier version',
  description: 'Brings back a deleted document, or an earlier version that history lists, as the newest version.',
  properties: {
    ...DOCUMENT,
    revision: {
      type: 'integer',
      minimum: 1,
      description: 'Number of the version; the newest of a deleted document when absent.',
    },
  },
  required: ['collection', 'key'],
  example: { collection: 'blog', key: 'hello-world', revision: 3 },
  hint: 'destructive',
  needs: ['listRevisions', 'restoreRevision'],
  async run(args, service) {
    const name = documentOf(args, service);
    const revision = args.get<number>('revision') ?? await withDocument(service, name, async () => {
      const { revisions: [newest], deletedAt } = await service.call('listRevisions', {
        ...name,
        limit: 1,
        includeContent: false,
      });
      if (deletedAt !== undefined && newest !== undefined) return newest.revision;
      throw new ServiceError('missing_fields', 'missing fields: revision', {
        body: { advice: 'the document is not deleted, so call history and send the revision to bring back' },
      });
    });
    await withDocument(service, name, () => service.call('restoreRevision', { ...name, revision }));
    return { ...name, status: 'restored', revision };
  },
};
