import type { MethodDefinition, Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

type Method = MethodDefinition<object, object>;
/** Whether requests and responses of a method are streams. */
type Streams = Pick<Method, 'requestStream' | 'responseStream'>;

/** A service as its package adds it to a server. */
export interface LoadedService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * Adds a service that is loaded with its first call: the packages of the standard services bring a second
 * implementation of protobuf, which takes a tenth of a start, and most servers are never asked.
 */
export function addLateService(server: Server, name: string, methods: Readonly<Record<string, Streams>>,
  load: () => LoadedService): void
{
  let loaded: LoadedService | undefined;
  const service = (): LoadedService => (loaded ??= load());
  for (const [method, streams] of Object.entries(methods)) {
    const real = (): Method => service().definition[method] as Method;
    const late: Method = {
      path: `/${name}/${method}`,
      ...streams,
      requestSerialize: (message) => real().requestSerialize(message),
      requestDeserialize: (bytes) => real().requestDeserialize(bytes),
      responseSerialize: (message) => real().responseSerialize(message),
      responseDeserialize: (bytes) => real().responseDeserialize(bytes),
    };
    server.addService({ [method]: late }, {
      [method]: (...call: readonly unknown[]) => {
        const { [method]: handle, [real().originalName ?? method]: original } = service().implementation;
        return ((handle ?? original) as (...call: readonly unknown[]) => void)(...call);
      },
    });
  }
}

/** The services that a package adds to a server. */
export function servicesOf(added: { addToServer(server: never): void }): LoadedService[] {
  const services: LoadedService[] = [];
  const addService = (definition: ServiceDefinition, implementation: UntypedServiceImplementation): void =>
    void services.push({ definition, implementation });
  added.addToServer({ addService } as never);
  return services;
}
