import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { MethodDefinition, Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type * as Reflection from '@grpc/reflection';
import type * as Health from 'grpc-health-check';
import { createRequire } from 'node:module';
import type { Schema } from './message/plan.ts';

/** The service name under which the health service reports readiness, as `GET /ready` does. */
const READINESS = 'readiness';

const ONE_RESPONSE = { requestStream: false, responseStream: false };

/**
 * The standard health service (`grpc.health.v1.Health`): the server as a whole under the empty name, each service, and
 * under `readiness` whether every search index is ready. The server and its services already report SERVING before
 * that.
 */
export function addHealth(server: Server, services: readonly string[],
  followReadiness?: (listener: (ready: boolean) => void) => void): { stop(): void }
{
  const statuses: Health.ServingStatusMap = Object.fromEntries(['', ...services].map((name) => [name, 'SERVING']));
  let health: Health.HealthImplementation | undefined;
  const report = (name: string, status: Health.ServingStatusMap[string]): void => {
    statuses[name] = status;
    health?.setStatus(name, status);
  };
  if (followReadiness !== undefined) report(READINESS, 'NOT_SERVING');
  addLateService(server, 'grpc.health.v1.Health', {
    Check: ONE_RESPONSE,
    List: ONE_RESPONSE,
    Watch: { requestStream: false, responseStream: true },
  }, () => {
    const { HealthImplementation } = createRequire(import.meta.url)('grpc-health-check') as typeof Health;
    return servicesOf(health = new HealthImplementation(statuses))[0]!;
  });
  let stopped = false;
  followReadiness?.((ready) => {
    if (!stopped) report(READINESS, ready ? 'SERVING' : 'NOT_SERVING');
  });
  return {
    stop: () => {
      stopped = true;
      for (const name of Object.keys(statuses)) report(name, 'NOT_SERVING');
    },
  };
}

const VERSIONS = ['v1', 'v1alpha'] as const;

/** Cached by schema: the package visits all descriptors, and tests start many servers in one process. */
const versionsOf = new WeakMap<Schema, readonly LoadedService[]>();

/** Reflection (`grpc.reflection.v1` and `v1alpha`) from the image itself. */
export function addReflection(server: Server, schema: Schema): void {
  for (const [i, version] of VERSIONS.entries()) {
    addLateService(server, `grpc.reflection.${version}.ServerReflection`, {
      ServerReflectionInfo: { requestStream: true, responseStream: true },
    }, () => {
      let versions = versionsOf.get(schema);
      if (versions === undefined) versionsOf.set(schema, versions = loadVersions(schema));
      return versions[i]!;
    });
  }
}

/**
 * The package expects the output of proto-loader, whose files lack imports, so that strict clients reject them. The
 * package reads only the descriptors of it.
 */
function loadVersions({ files }: Schema): LoadedService[] {
  const { ReflectionService } = createRequire(import.meta.url)('@grpc/reflection') as typeof Reflection;
  const fileDescriptorProtos = files.file.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  return servicesOf(new ReflectionService({ all: { fileDescriptorProtos } } as never));
}

type Method = MethodDefinition<object, object>;
/** Whether requests and responses of a method are streams. */
type Streams = Pick<Method, 'requestStream' | 'responseStream'>;

/** A service as its package adds it to a server. */
interface LoadedService {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * Adds a service that is loaded with its first call: the packages of the standard services bring a second
 * implementation of protobuf, which takes a tenth of a start, and most servers are never asked.
 */
function addLateService(server: Server, name: string, methods: Readonly<Record<string, Streams>>,
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
function servicesOf(added: { addToServer(server: never): void }): LoadedService[] {
  const services: LoadedService[] = [];
  const addService = (definition: ServiceDefinition, implementation: UntypedServiceImplementation): void =>
    void services.push({ definition, implementation });
  added.addToServer({ addService } as never);
  return services;
}
