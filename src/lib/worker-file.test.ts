import { describe, expect, it } from 'vitest';
import { workerFile } from './worker-file.ts';

describe('workerFile', () => {
  it('takes over the ending of its caller', () => {
    expect(workerFile('file:///app/src/a/client.ts', 'thread').href).toBe('file:///app/src/a/thread.ts');
    expect(workerFile('file:///app/dist/a/client.js', 'thread').href).toBe('file:///app/dist/a/thread.js');
  });
});
