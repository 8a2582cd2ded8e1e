import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '../src/testkit/bare-environment.ts';
import { ROOT } from '../src/testkit/docs-process.ts';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';

/**
 * The scenarios of the protocol's own suite that need only MCP. The omitted ones call tools, prompts and resources that
 * only a server made for the suite has, or capabilities that this server does not declare (logging, subscriptions,
 * sampling, elicitation, resumable streams).
 */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list',
  'dns-rebinding-protection', 'server-sse-multiple-streams'];

let server: DocsServer;
let program: string;

beforeAll(async () => {
  server = await startDocsServer();
  const manifest = join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance', 'package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: Record<string, string> };
  program = join(dirname(manifest), Object.values(bin)[0]!);
});
afterAll(() => server.stop());

interface Verdict {
  readonly code: number;
  readonly output: string;
}

function run(scenario: string): Promise<Verdict> {
  return new Promise((resolve) => {
    // In a folder of its own, because the suite writes its results to the current folder.
    execFile(process.execPath, [program, 'server', '--url', server.listeners.mcp!.url, '--scenario', scenario], {
      cwd: tmpdir(),
      env: { ...bareEnvironment(), NO_COLOR: '1' },
    }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}

describe('the conformance suite of MCP', () => {
  it.each(SCENARIOS)('%s passes', async (scenario) => {
    const { code, output } = await run(scenario);
    const [, passed, all] = /Passed: (\d+)\/(\d+), 0 failed/.exec(output) ?? [];
    expect([code, Number(passed) > 0, passed], output.slice(-2000)).toEqual([0, true, all]);
  });
});
