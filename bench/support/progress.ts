const begun = performance.now();

/** Says on stderr what is being done, and how long the run has taken so far. */
export function progress(what: string): void {
  console.error(`  ${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${what}`);
}
