import { limitOf, OFFSET } from '../arguments.ts';
import { collectionsOf } from '../collections.ts';
import { fitting } from '../fitting.ts';
import { type ModelTool, roomBeside } from '../model-tool.ts';

export const listCollections: ModelTool = {
  name: 'list_collections',
  title: 'List collections',
  description: 'Names the collections of documents, with their sizes. A good first call.',
  properties: { limit: limitOf(500, 100), offset: OFFSET },
  required: [],
  example: {},
  hint: 'read',
  needs: ['listCollectionConfigs'],
  async run(args, service) {
    const all = await collectionsOf(service);
    const offset = args.get<number>('offset') ?? 0;
    const shown = fitting(all.slice(offset, offset + (args.get<number>('limit') ?? 100)), roomBeside({}, service));
    const next = offset + shown.length;
    return {
      collections: shown,
      total: all.length,
      ...(next < all.length ? { next_offset: next } : {}),
      ...(all.length === 0
        ? { note: 'there are no collections that you can see; write makes one with its first document' }
        : {}),
    };
  },
};
