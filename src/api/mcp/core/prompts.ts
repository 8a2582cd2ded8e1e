import { INVALID_PARAMS, McpFault } from './fault.ts';
import { type Prompt, type PromptArgument, PROMPTS } from './prompt-texts.ts';

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

const given = (value: string | undefined, text: (value: string) => string,
  otherwise = ''): string => (value ? text(value) : otherwise);

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
