import { expect, it } from 'vitest';
import { loadService } from './load-service.ts';

it('leaves turns of the event loop to others while the packages are loaded', async () => {
  let turns = 0;
  let isLoading = true;
  const count = (): void => {
    turns++;
    if (isLoading) setImmediate(count);
  };
  setImmediate(count);
  const { McpService } = await loadService();
  isLoading = false;
  expect(McpService).toBeTypeOf('function');
  expect(turns).toBeGreaterThanOrEqual(5);
});
