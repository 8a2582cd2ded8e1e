import { CORE_TEXTS } from './core-prompt-texts.ts';
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
