/** The used part of the load generator's interface; the package includes no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    connections: number;
    duration: number;
    method: string;
    headers: Record<string, string>;
    body?: string;
    requests?: { setupRequest(request: object): object }[];
  }
  interface Result {
    '2xx': number;
    non2xx: number;
    errors: number;
    duration: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
