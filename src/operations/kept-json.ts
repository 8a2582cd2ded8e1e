/** The JSON of parts of answers that are returned again and again. */
const texts = new WeakMap<object, string>();
/** Lists of an answer whose items have such parts. */
const lists = new WeakSet<readonly object[]>();

/** Keeps the JSON of a value for as long as the value is used, and returns it. The value must not be changed any more. */
export function keepJson(value: object): string {
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Marks a list in a field of an answer: fields of its items are values that `keepJson` has received. */
export function withKeptJson<T extends readonly object[]>(list: T): T {
  lists.add(list);
  return list;
}

/** The same as `JSON.stringify`. Marked lists are composed of the texts of their parts. */
export function toJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.values(value).some(isMarked)) return JSON.stringify(value);
  return objectOf(value, (field) => (isMarked(field) ? `[${field.map(itemOf).join(',')}]` : JSON.stringify(field)));
}

function isMarked(value: unknown): value is readonly object[] {
  return Array.isArray(value) && lists.has(value);
}

function itemOf(item: object): string {
  return objectOf(item, (field) => (typeof field === 'object' && field !== null ? texts.get(field) : undefined) ?? JSON.stringify(field));
}

function objectOf(value: object, textOf: (field: unknown) => string | undefined): string {
  let text = '';
  for (const [name, field] of Object.entries(value)) {
    const json = textOf(field);
    if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
  }
  return `{${text}}`;
}
