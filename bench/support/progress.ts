const begun = performance.now();

/** Prints the current step on stderr, and the duration of the run so far. */
export function progress(what: string): void {
  console.error(`  ${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${what}`);
}
