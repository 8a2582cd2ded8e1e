const VARIABLE = /\{\{\s*([\w.]+)\s*\}\}/g;

/**
 * A collection's `responsePrompt` with its `{{name}}` variables replaced; unknown names are left unchanged (decisions
 * section 2.3).
 */
export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(VARIABLE, (variable, name: string) => (Object.hasOwn(values, name) ? values[name]! : variable));
}
