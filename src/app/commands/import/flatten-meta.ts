import type { Meta } from '../../../text/front-matter.ts';

/**
 * Metadata from a JSON object, by the rules that hold for front matter (contract, section 2,
 * "Structured frontmatter"): a scalar is one value, a list of scalars is several, null is nothing,
 * and nested structures take dotted keys such as `faq.0.question`. The metadata of an exported
 * document come out unchanged.
 */
export function flattenMeta(object: Readonly<Record<string, unknown>>): Meta {
  const values = new Map<string, string[]>();
  const visit = (path: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      if (value.every(isScalar)) value.forEach((item) => visit(path, item));
      else value.forEach((item, index) => visit(`${path}.${index}`, item));
    } else if (typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) visit(`${path}.${key}`, inner);
    } else {
      const list = values.get(path);
      if (list === undefined) values.set(path, [String(value)]);
      else list.push(String(value));
    }
  };
  for (const [key, value] of Object.entries(object)) visit(key, value);
  // `fromEntries` defines own properties, whatever their name: a key `__proto__` is only a key.
  return Object.fromEntries(values);
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
