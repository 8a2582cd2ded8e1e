import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type ServiceCommand, startServiceProcess } from './service-process.ts';

const script = (text: string, signal = new AbortController().signal): ServiceCommand => ({
  file: process.execPath,
  arguments: ['-e', text],
  cwd: tmpdir(),
  env: process.env,
  signal,
});

describe('startServiceProcess', () => {
  it('waits for the address, whatever is written before it, and ends the process', async () => {
    const service = await startServiceProcess(
      script(
        'console.error("warming up"); console.log("\\x1b[1mit is listening on http://127.0.0.1:5/ (x)\\x1b[0m"); ' +
          'setInterval(() => {}, 1000)',
      ),
    );
    expect(service.url).toBe('http://127.0.0.1:5/');
    expect(service.recentOutput()).toContain('it is listening on http://127.0.0.1:5/ (x)');
    await service.stop();
    await service.stop();
  });

  it('reports the last words of one that does not start', async () => {
    await expect(startServiceProcess(script('console.error("the disk is gone"); process.exit(3)'))).rejects.toThrow(
      'the service did not start: it ended with status 3\n  the disk is gone',
    );
  });

  it('ends the process when it is interrupted meanwhile', async () => {
    const controller = new AbortController();
    const starting = startServiceProcess(script('setInterval(() => {}, 1000)', controller.signal));
    controller.abort();
    await expect(starting).rejects.toThrow('interrupted');
  });

  it('explains a program that is not there', async () => {
    await expect(startServiceProcess({ ...script(''), file: '/missing/node' })).rejects.toThrow(
      'the service did not start: spawn /missing/node ENOENT',
    );
  });
});
