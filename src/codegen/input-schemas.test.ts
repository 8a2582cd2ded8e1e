import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAjv } from '../operations/index.ts';

// The services compile these without checking them again (`operations/input-validators.ts`).
describe.each(['docs', 'runs'])('the input schemas of %s', (service) => {
  const text = readFileSync(new URL(`../../generated/${service}/inputs.json`, import.meta.url), 'utf8');

  it('are JSON Schemas', () => {
    const inputs = JSON.parse(text) as Record<string, object>;
    const ajv = createAjv();
    for (const [operationId, schema] of Object.entries(inputs))
      expect(ajv.validateSchema(schema), `${operationId}: ${ajv.errorsText()}`).toBe(true);
  });

  it(
    'describe the names of properties without references, because errors of definitions do not say which name is ' +
      'wrong',
    () => {
      JSON.parse(text, (key, value: unknown) => {
        if (key === 'propertyNames') expect(JSON.stringify(value)).not.toContain('"$ref"');
        return value;
      });
    },
  );
});
