#!/usr/bin/env node
// The published package holds compiled files; a checkout runs from its sources.
import { existsSync } from 'node:fs';
// Not by name: an old Node lacks the function, and would say so instead of what is below.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 18)) {
  console.error(
    `quire needs Node 24.18 or newer, this is ${process.versions.node}; in a checkout use \`npm run quire -- ...\`, which brings its own`,
  );
  process.exit(1);
}
// Two things are read only when a program begins, so a service begins twice. glibc keeps most of what threads have
// freed, in up to eight arenas for each core. And with 16 MiB for young objects, where V8 begins, more of them get old:
// with 32 MiB, imports take nine tenths of the processor time, and a service that searches has 480 MB instead of 560
// (https://nodejs.org/api/cli.html#--max-semi-space-sizesize-in-mib).
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' };
const YOUNG = '--max-semi-space-size=32';
const isService = ['docs', 'runs'].includes(process.argv[2]);
if (process.platform === 'linux' && isService && process.env.MALLOC_ARENA_MAX === undefined && !process.connected) {
  process.execve(process.execPath, [process.execPath, YOUNG, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    ...ALLOCATOR,
  });
}
// Compiling takes most of a start. The folder is the package's own, since whoever can write there decides what runs; where this user
// cannot, or NODE_COMPILE_CACHE names another one, that is all right.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/quire', import.meta.url)));

const compiled = new URL('../src/app/main.js', import.meta.url);
await import(existsSync(compiled) ? compiled : new URL('../src/app/main.ts', import.meta.url));
