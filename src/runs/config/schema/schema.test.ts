import { describe, expect, it } from 'vitest';
import { RUNS_CONFIG_SCHEMA } from './index.ts';

interface Node {
  readonly type?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly default?: unknown;
}

/** Every object of the schema with its path. */
function objects(node: Node, path: string): [string, Node][] {
  const inner = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    objects(child, path === '' ? name : `${path}.${name}`)
  );
  const items = node.items === undefined ? [] : objects(node.items, `${path}[]`);
  return [...(node.properties === undefined ? [] : [[path, node] as [string, Node]]), ...inner, ...items];
}

const OBJECTS = objects(RUNS_CONFIG_SCHEMA, '');

describe('the schema of the configuration', () => {
  it('reaches every part', () => {
    expect(OBJECTS.map(([path]) => path)).toEqual(
      expect.arrayContaining(['', 'queue.backoff', 'pipelines[].steps[]', 'projects[].content', 'alerts.routes[]',
        'ai.roles[]']),
    );
  });

  it.each(OBJECTS)('%s: refuses unknown keys, describes each key, and gives it a default or requires it', (_, node) => {
    expect(node.additionalProperties).toBe(false);
    for (const [name, child] of Object.entries(node.properties!)) {
      expect(child.description, name).toBeTruthy();
      // The derived type relies on this: no property can be absent.
      expect(child.default !== undefined || (node.required ?? []).includes(name), name).toBe(true);
    }
  });
});
