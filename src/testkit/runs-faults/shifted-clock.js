// Preloaded into a program whose clock a test sets: a file contains the difference from the right time in milliseconds.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

const file = process.env['QUIRE_TEST_CLOCK_FILE'];
const RightDate = Date;
/** Interval between two reads of the file, measured with the monotonic clock. */
const STALE_MS = 10;

let shift = 0;
let lookAgainAt = 0;

function now() {
  if (performance.now() >= lookAgainAt) {
    lookAgainAt = performance.now() + STALE_MS;
    const text = readFileSync(file, 'utf8');
    if (text !== '') shift = Number(text); // empty while it is being written
  }
  return RightDate.now() + shift;
}

globalThis.Date = class Date extends RightDate {
  static now = now;

  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }
};
