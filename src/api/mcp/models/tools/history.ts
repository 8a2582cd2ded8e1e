import { ServiceError } from '../../../../errors/index.ts';
import { withDocument } from '../advice.ts';
import { DOCUMENT, documentOf, momentOf, OFFSET } from '../arguments.ts';
import { beginningOf, fitting } from '../fitting.ts';
import { type ModelTool, roomBeside } from '../model-tool.ts';

const MAX_LISTED = 50;
/** Far more revisions than a collection keeps. */
const ALL = 10_000;

export const history: ModelTool = {
  name: 'history',
  title: 'Show earlier versions',
  description: 'Lists the kept versions of a document, newest first. With revision, returns the text of that version.',
  properties: {
    ...DOCUMENT,
    revision: { type: 'integer', minimum: 1, description: 'Number of a version, from the list.' },
    offset: OFFSET,
  },
  required: ['collection', 'key'],
  example: { collection: 'blog', key: 'hello-world' },
  hint: 'read',
  needs: ['listRevisions'],
  async run(args, service) {
    const name = documentOf(args, service);
    const offset = args.get<number>('offset') ?? 0;
    const { revisions, deletedAt } = await withDocument(service, name,
      () => service.call('listRevisions', { ...name, limit: ALL, includeContent: false }));
    const deleted = { deleted_at: deletedAt === undefined ? undefined : momentOf(deletedAt) };
    const wanted = args.get<number>('revision');
    if (wanted === undefined) {
      const listed = revisions.slice(offset, offset + MAX_LISTED).map(({ revision, updatedAt }) => ({
        revision,
        written_at: momentOf(updatedAt),
      }));
      const shown = fitting(listed, roomBeside({ ...name, ...deleted }, service));
      const next = offset + shown.length;
      return {
        ...name,
        ...deleted,
        versions: shown,
        total: revisions.length,
        next_offset: next < revisions.length ? next : undefined,
      };
    }
    const place = revisions.findIndex(({ revision }) => revision === wanted);
    if (place === -1)
      throw new ServiceError('not_found', `there is no version ${wanted} of ${name.key}`, {
        body: { advice: `versions: ${revisions.slice(0, 20).map(({ revision }) => revision).join(', ')}` },
      });
    const { revisions: [version] } = await service.call('listRevisions', {
      ...name,
      limit: 1,
      offset: place,
      includeContent: true,
    });
    const head = { ...name, ...deleted, revision: wanted, written_at: momentOf(version!.updatedAt) };
    const content = beginningOf(version!.contentMd.slice(offset), roomBeside(head, service));
    const next = offset + content.length;
    return {
      ...head,
      content,
      ...(next < version!.contentMd.length
        ? { next_offset: next, note: `the text goes on: call history with revision ${wanted} and offset ${next}` }
        : {}),
    };
  },
};
