export interface RolePrefixes {
  /** Becomes part of the variant: vectors made with other prefixes are not comparable. */
  readonly name: string;
  readonly document: string;
  readonly query: string;
}

/** How the vectors of a text's tokens become one: their mean, or that of the first or last token. */
export type Pooling = 'mean' | 'cls' | 'last_token';

/** What the models of a family have in common. */
export interface ModelFamily {
  /** Instructions that they were trained to see before each text; they are considerably worse without them. */
  readonly prefixes?: RolePrefixes;
  /** `mean` if absent. */
  readonly pooling?: Pooling;
  /** Native sizes of their vectors, by a part of the name. */
  readonly sizes?: readonly (readonly [part: RegExp, dimensions: number])[];
}

const MIXEDBREAD = 'Represent this sentence for searching relevant passages: ';

/**
 * Only what the files of a model often do not say (`model-profile.ts`); where they do, they count. Names have several
 * spellings: `nomic-embed-text:latest` and `nomic-ai/nomic-embed-text-v1.5`; a model in a folder is identified by the
 * folder's name. Sources: the cards of the models on huggingface.co.
 */
const FAMILIES: readonly (ModelFamily & { readonly model: RegExp })[] = [{
  model: /nomic-embed-text/i,
  prefixes: { name: 'nomic', document: 'search_document: ', query: 'search_query: ' },
  sizes: [[/./, 768]],
}, {
  // Their instruction-tuned siblings need other prefixes, which stand in their files.
  model: /(?:^|[/\\_-])e5-(?:small|base|large)(?!-instruct)/i,
  prefixes: { name: 'e5', document: 'passage: ', query: 'query: ' },
  sizes: [[/e5-small/i, 384], [/e5-base/i, 768], [/e5-large/i, 1024]],
}, {
  model: /(?:^|[/\\_-])bge-(?:m3|micro|small|base|large)/i,
  pooling: 'cls',
  sizes: [[/bge-(?:m3|large)/i, 1024], [/bge-base/i, 768], [/bge-(?:small|micro)/i, 384]],
}, {
  model: /(?:^|[/\\_-])gte-(?:multilingual|modernbert|(?:base|large)-en-v1\.5)/i,
  pooling: 'cls',
  sizes: [[/gte-large/i, 1024], [/./, 768]],
}, { model: /paraphrase-multilingual/i, sizes: [[/minilm/i, 384], [/mpnet/i, 768]] }, {
  model: /jina-embeddings-v2/i,
  sizes: [[/v2-small/i, 512], [/v2-base/i, 768]],
}, {
  model: /arctic-embed-[ml]-v2/i,
  prefixes: { name: 'arctic2', document: '', query: 'query: ' },
  pooling: 'cls',
  sizes: [[/embed-m/i, 768], [/embed-l/i, 1024]],
}, {
  model: /mxbai-embed-large|arctic-embed/i,
  prefixes: { name: 'mxbai', document: '', query: MIXEDBREAD },
  pooling: 'cls',
  sizes: [[/large|embed-l/i, 1024], [/embed-m/i, 768], [/embed-x?s/i, 384]],
}];

/** Undefined for a model of no family that is known. */
export function familyOf(model: string): ModelFamily | undefined {
  return FAMILIES.find((each) => each.model.test(model));
}

/** The size of a model's vectors, as its family has it. */
export function familySize(model: string): number | undefined {
  return familyOf(model)?.sizes?.find(([part]) => part.test(model))?.[1];
}
