// Exits with 0 when the service answers that it is healthy. QUIRE_HEALTH_URL: where it is asked.
const answer = await fetch(process.env.QUIRE_HEALTH_URL ?? 'http://127.0.0.1:11023/health', {
  signal: AbortSignal.timeout(4000),
}).catch(() => undefined);
process.exit(answer?.ok === true ? 0 : 1);
