import { INVALID_PARAMS, McpFault } from './fault.ts';

/** An argument of a prompt, as `prompts/list` shows it. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Returns the text; an optional argument that is absent is empty. */
  text(args: Readonly<Record<string, string>>): string;
}

const COLLECTION: PromptArgument = { name: 'collection', description: 'Name of the collection.', required: true };

const optional = ({ name, description }: PromptArgument): PromptArgument => ({ name, description, required: false });

const given = (value: string | undefined, text: (value: string) => string,
  otherwise = ''): string => (value ? text(value) : otherwise);

/** The prompts of the server. */
export const PROMPTS: readonly Prompt[] = [{
  name: 'analyze-collection',
  title: 'Analyse a collection',
  description: 'Finds out what a collection holds, how it is organised and what could be better.',
  arguments: [COLLECTION, {
    name: 'focus',
    description: 'What to look at in particular, such as "metadata quality".',
    required: false,
  }],
  text: ({ collection, focus }) =>
    `Analyse the collection "${collection}" of this document store${
      given(focus, (text) => `, with particular attention to: ${text}`)
    }.

1. Call get_stats for its size, and get_collection_config and get_schema with collection "${collection}" for how it is set up.
2. Call get_meta_keys to see which metadata keys are in use and which values they take.
3. Call aggregate with facets for the two or three keys that seem to organise the collection, and with a histogram over updatedAt for its age.
4. Read a sample: search_documents with limit 5, sorted by updatedAt, with fields first and whole documents only where you need them.
5. Where embeddings are in use (vector_stats), call find_duplicates with a moderate max_docs.

Then report: what the documents are about, how they are organised, what stands out (keys that are used inconsistently, missing values, duplicates, documents that are very old or very long), and the three changes that would help most. Say which call each finding comes from, and change nothing.`,
}, {
  name: 'search-help',
  title: 'Choose the right search',
  description: 'Helps to find documents: which search tool fits the question, and with which arguments.',
  arguments: [{ name: 'question', description: 'What is to be found.', required: false }, optional(COLLECTION)],
  text: ({ question, collection }) =>
    `Help me to find documents${given(collection, (name) => ` in the collection "${name}"`)}${
      given(question, (text) => `. What I am looking for: ${text}`, '; ask me what I am looking for')
    }.

Choose among these tools:
- search_documents when metadata decide (category, author, dates): filter_meta, sort, limit. get_meta_keys tells which keys and values exist.
- full_text_search when words decide: mode "boolean" for AND, OR, NOT, "phrase" for exact wording, "wildcard" for beginnings, fuzzy "auto" for uncertain spelling; highlight shows where the words are.
- semantic_search when the meaning decides and the wording is unknown; it needs embeddings, which vector_stats tells.
- hybrid_search when both may help; the safest choice for a question in plain language.
- cross_search when several collections may have the answer.
- autocomplete for the words that the index really has.

${
      given(collection, () => '', 'Call get_stats first to see which collections there are. ')
    }Begin with the narrowest search that can work and a small limit, ask for fields rather than whole documents, and read the best ones with get_document. When nothing is found, say so, loosen one condition at a time, and tell me which one it was.`,
}, {
  name: 'summarize-collection',
  title: 'Summarise a collection',
  description: 'Writes a summary of what the documents of a collection say.',
  arguments: [COLLECTION, {
    name: 'length',
    description: 'How long the summary is to be, such as "one paragraph" or "two pages".',
    required: false,
  }],
  text: ({ collection, length }) =>
    `Summarise what the documents of the collection "${collection}" say, in ${length || 'about 300 words'}.

1. Call get_stats for the number of documents and get_meta_keys for the topics that the metadata name.
2. With up to 20 documents read all of them: search_documents with their bodies. With more, choose: the most recently updated ones, one or two for each main topic (filter_meta), and what full_text_search finds for the topics that come up again and again. context_token_budget keeps an answer within what you can read.
3. Write the summary by topic rather than by document. Name the documents that a statement rests on by their key. Say how many of the documents you have read, and where they contradict each other.

If a search result brings a responsePrompt, follow it.`,
}, {
  name: 'import-guide',
  title: 'Plan an import',
  description: 'Plans how to bring documents into the store: tool, keys, metadata, checks.',
  arguments: [{
    name: 'source',
    description: 'Where the documents come from, such as "a folder of markdown" or a URL.',
    required: false,
  }, { name: 'collection', description: 'Name of the collection to import into.', required: false }],
  text: ({ source, collection }) =>
    `Plan the import of documents${given(source, (text) => ` from ${text}`)} into ${
      given(collection, (name) => `the collection "${name}"`, 'a collection of this document store')
    }, agree on the plan with me, and then carry it out.

Settle first:
- The key of each document: unique within the collection, stable, readable, without "|". Documents are versions of one another when they have collection, key and language in common.
- The language of each document, and the metadata: few keys, lists of short values. get_meta_keys and get_schema tell what the collection has already; validate_document checks a sample without writing.

Choose the tool:
- add_document for one document, add_documents_batch for up to 10,000 with explicit keys.
- ingest_documents for scraped pages: keys come from URLs; the profile "fast" is for large amounts.
- upload_file for a file of another format, import_url for one page of the web.
- bulk_ingest_submit for very many documents in the background; bulk_ingest_status follows it.

Begin with three documents and read one of them back with get_document. Then import the rest in batches, and look at failed and errors of every answer: a batch is never all or nothing. At the end compare the counts with get_stats, and check with full_text_search that the documents are found.`,
}, {
  name: 'rag-pipeline',
  title: 'Answer from the documents',
  description: 'Answers a question from the documents of a collection, with sources.',
  arguments: [COLLECTION, { name: 'question', description: 'The question.', required: true }],
  text: ({ collection, question }) =>
    `Answer this question from the collection "${collection}" alone: ${question}

1. Search: hybrid_search with collection "${collection}", the question as query, top_k 8, and a context_token_budget that leaves you room. Where its warnings say that there are no embeddings, full_text_search with the question's key terms finds more.
2. Judge: keep only the results that bear on the question. If they are weak, search once or twice more with other words. Read a whole document with get_document only when a passage is not enough.
3. Answer: use nothing but what the documents say. Put the key of the document behind each statement. Where documents disagree, say so and prefer the one that was updated last. If a result brings a responsePrompt, follow it.
4. If the documents do not answer the question, say that plainly and name what would have to be added.`,
}];

/**
 * The texts of the prompts if the core tools are listed and the tools of the operations are not, by the prompts' names.
 */
export const CORE_TEXTS: Readonly<Record<string, Prompt['text']>> = {
  'analyze-collection': ({ collection, focus }) =>
    `Analyse the collection "${collection}" of this document store${
      given(focus, (text) => `, with particular attention to: ${text}`)
    }.

1. Call list_collections for its size and list_fields with collection "${collection}" for its metadata.
2. Call list_fields with field for the two or three fields that seem to organise the collection.
3. Call list_documents with sort "newest" for its age, and read a sample of five documents.

Then report: what the documents are about, how they are organised, what stands out (fields that are used inconsistently, missing values, documents that are very old or very long), and the three changes that would help most. Say which call each finding comes from, and change nothing.`,

  'search-help': ({ question, collection }) =>
    `Help me to find documents${given(collection, (name) => ` in the collection "${name}"`)}${
      given(question, (text) => `. What I am looking for: ${text}`, '; ask me what I am looking for')
    }.

- search finds by words and meaning; filter narrows it to documents with certain metadata, lang to a language.
- list_fields tells which metadata fields and values there are, list_documents lists what has them.
- read returns the text of a result, from its line on.

${
      given(collection, () => '', 'Call list_collections first to see which collections there are. ')
    }Begin with few plain words. When nothing is found, say so, loosen one condition at a time, and tell me which one it was.`,

  'summarize-collection': ({ collection, length }) =>
    `Summarise what the documents of the collection "${collection}" say, in ${length || 'about 300 words'}.

1. Call list_documents for their number and list_fields for the topics that the metadata name.
2. With up to 20 documents read all of them. With more, choose: the newest ones, one or two for each main topic (filter), and what search finds for the topics that come up again and again.
3. Write the summary by topic rather than by document. Name the documents that a statement rests on by their key. Say how many of the documents you have read, and where they contradict each other.

If a search returns how_to_answer, follow it.`,

  'import-guide': ({ source, collection }) =>
    `Plan the import of documents${given(source, (text) => ` from ${text}`)} into ${
      given(collection, (name) => `the collection "${name}"`, 'a collection of this document store')
    }, agree on the plan with me, and then carry it out.

Settle first:
- The key of each document: unique within the collection, stable, readable, without "|".
- The language of each document, and the metadata: few fields, lists of short values. list_fields tells what the collection has already.

Write one document after the other with write. Begin with three and read one of them back. At the end compare the counts with list_collections, and check with search that the documents are found. For many documents suggest the command \`quire import\` instead.`,

  'rag-pipeline': ({ collection, question }) =>
    `Answer this question from the collection "${collection}" alone: ${question}

1. Search: call search with collection "${collection}" and the question as query.
2. Judge: keep only the results that bear on the question. If they are weak, search once or twice more with other words. Call read, with the line of the result, where a snippet is not enough.
3. Answer: use nothing but what the documents say. Put the key of the document behind each statement. Where documents disagree, say so and prefer the one that was updated last. If a search returns how_to_answer, follow it.
4. If the documents do not answer the question, say that plainly and name what would have to be added.`,
};

/** Most characters of a prompt's argument. */
const MAX_ARGUMENT = 4096;

/** A prompt as `prompts/list` shows it. */
export function listPrompts(): { name: string; title: string; description: string; arguments: PromptArgument[] }[] {
  return PROMPTS.map(({ name, title, description, arguments: parameters }) => ({
    name,
    title,
    description,
    arguments: [...parameters],
  }));
}

/**
 * Returns a prompt with its arguments filled in, which refers either to the core tools or to those of the operations.
 * Throws `McpFault` that names what is missing.
 */
export function getPrompt(name: string, args: Readonly<Record<string, string>> = {}, ofCore = false): object {
  const prompt = PROMPTS.find((each) => each.name === name);
  if (prompt === undefined) throw new McpFault(INVALID_PARAMS, `unknown prompt: ${name.slice(0, 128)}`);
  const text = (ofCore ? CORE_TEXTS[name]! : prompt.text)(checked(prompt, args));
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

function checked({ arguments: parameters }: Prompt, args: Readonly<Record<string, string>>): Record<string, string> {
  const given = new Map(Object.entries(args).map(([name, value]) => [name, value.trim()]));
  const missing = parameters.filter(({ name, required }) => required && !given.get(name)).map(({ name }) => name);
  if (missing.length > 0) throw new McpFault(INVALID_PARAMS, `missing arguments: ${missing.join(', ')}`);
  const long = parameters.find(({ name }) => (given.get(name) ?? '').length > MAX_ARGUMENT);
  if (long !== undefined)
    throw new McpFault(INVALID_PARAMS, `${long.name} must have at most ${MAX_ARGUMENT} characters`);
  return Object.fromEntries(parameters.map(({ name }) => [name, given.get(name) ?? '']));
}
