import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createAjv } from '../operations/index.ts';

// The services compile these without checking them again (`operations/validation.ts`).
describe.each(['docs', 'runs'])('the input schemas of %s', (service) => {
  it('are JSON Schemas', async () => {
    const inputs = JSON.parse(await readFile(new URL(`../../generated/${service}/inputs.json`, import.meta.url), 'utf8')) as Record<string, object>;
    const ajv = createAjv();
    for (const [operationId, schema] of Object.entries(inputs)) expect(ajv.validateSchema(schema), `${operationId}: ${ajv.errorsText()}`).toBe(true);
  });
});
