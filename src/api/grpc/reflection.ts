import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import type { Schema } from './message/index.ts';

type Service = Parameters<Server['addService']>;

/** Cached by schema: the package visits all descriptors, which takes 60 ms, and tests start many servers in one process. */
const servicesOf = new WeakMap<Schema, readonly Service[]>();

/** Reflection (`grpc.reflection.v1` and `v1alpha`) from the image itself. */
export function addReflection(server: Server, schema: Schema): void {
  let services = servicesOf.get(schema);
  if (services === undefined) servicesOf.set(schema, services = makeServices(schema));
  for (const [service, implementation] of services) server.addService(service, implementation);
}

/**
 * The package expects the output of proto-loader, whose files lack imports, so that strict clients reject them. The
 * package reads only the descriptors of it.
 */
function makeServices({ files }: Schema): Service[] {
  const fileDescriptorProtos = files.file.map((file) => Buffer.from(toBinary(FileDescriptorProtoSchema, file)));
  const services: Service[] = [];
  const addService = (...service: Service): void => void services.push(service);
  new ReflectionService({ all: { fileDescriptorProtos } } as never).addToServer({ addService } as never);
  return services;
}
