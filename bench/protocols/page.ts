const NAME = { collection: 'bench', key: 'page', lang: 'en' };

/** The name of the document that is read repeatedly. */
export const IDENTITY: Readonly<typeof NAME> = NAME;

/** The document: a body of 300 bytes. */
export const PAGE = {
  ...NAME,
  meta: { title: ['A page'], tags: ['a', 'b', 'c'] },
  contentMd: 'some words '.repeat(27),
};
