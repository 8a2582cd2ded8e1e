import { withDocument } from '../advice.ts';
import { DOCUMENT, documentOf, momentOf } from '../arguments.ts';
import { beginningOf, bytesOf } from '../fitting.ts';
import type { ModelTool } from '../model-tool.ts';

const BYTES_PER_TOKEN = 4;
/** Bytes of metadata in a result; more would leave too little space for the text. */
const MAX_META = 1500;

export const read: ModelTool = {
  name: 'read',
  title: 'Read a document',
  description:
    'Returns the text and metadata of a document. Long texts come in parts: call again with offset = next_offset, ' +
    'or with the line of a search result.',
  properties: {
    ...DOCUMENT,
    line: { type: 'integer', minimum: 1, description: 'Begin at this line.' },
    offset: { type: 'integer', minimum: 0, description: 'Begin at this character.' },
    max_tokens: {
      type: 'integer',
      minimum: 100,
      maximum: 100_000,
      description: 'Maximum tokens of the response, 1800 when absent.',
    },
  },
  required: ['collection', 'key'],
  example: { collection: 'blog', key: 'hello-world' },
  hint: 'read',
  needs: ['getDocument'],
  async run(args, service) {
    const name = documentOf(args, service);
    const { contentMd, meta, updatedAt, lang, key } = await withDocument(service, name,
      () => service.call('getDocument', name));
    const line = args.get<number>('line');
    const offset = Math.min(line === undefined ? args.get<number>('offset') ?? 0 : startOfLine(contentMd, line),
      contentMd.length);
    const asked = args.get<number>('max_tokens');
    const bytes = asked === undefined
      ? service.answerBytes
      : Math.min(asked * BYTES_PER_TOKEN, service.mostAnswerBytes);
    const head = {
      collection: name.collection,
      key,
      lang,
      updated_at: momentOf(updatedAt),
      ...(offset > 0
        ? { offset }
        : bytesOf(meta) <= Math.min(MAX_META, bytes / 4)
        ? { meta }
        : { note_on_meta: 'the metadata are too long to show; list_fields names them' }),
    };
    const content = beginningOf(contentMd.slice(offset),
      Math.max(LEAST_CONTENT, bytes - bytesOf(head) - ROOM_FOR_NOTE));
    const next = offset + content.length;
    if (next >= contentMd.length) return { ...head, content };
    return {
      ...head,
      content,
      total_characters: contentMd.length,
      next_offset: next,
      note: `the text goes on: call read with offset ${next}`,
    };
  },
};

const ROOM_FOR_NOTE = 160;
/** Fewest bytes of text in each part, however long the rest of the result is, so that reading on always advances. */
const LEAST_CONTENT = 100;

/** Lines are counted from 1; a number after the last one means the end. */
function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let i = 1; i < line; i++) {
    const end = text.indexOf('\n', start);
    if (end === -1) return text.length;
    start = end + 1;
  }
  return start;
}
