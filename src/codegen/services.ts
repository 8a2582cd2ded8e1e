/** The services that are described under `openapi/`. */
export const SERVICES = ['docs', 'runs'] as const;

export type ServiceName = (typeof SERVICES)[number];

/** The default port of each service. */
export const DEFAULT_ADDRESS: Readonly<Record<ServiceName, string>> = {
  docs: 'http://localhost:11023',
  runs: 'http://localhost:11030',
};
